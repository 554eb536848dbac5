"use client";

import { useLiveState } from "@/lib/live/hooks.ts";
import { LoggedOutNotice } from "./logged-out.tsx";
import { TargetNeverReached } from "./target-never-reached.tsx";
import { TargetRefused } from "./target-refused.tsx";

/**
 * Replaces a page that has no data, and shows why. The notices share one file, because each file that is loaded later
 * makes the first load of every page larger.
 */
export function UnavailablePage() {
  const { connection } = useLiveState();
  if (connection === "logged_out") return <LoggedOutNotice />;
  return connection === "refused" ? <TargetRefused /> : <TargetNeverReached />;
}
