"use client";

import dynamic from "next/dynamic";
import { useLiveState } from "@/lib/live/hooks.ts";

const NotificationsAdvice = dynamic(
  () => import("./notifications-advice.tsx").then((module) => module.NotificationsAdvice),
  { ssr: false },
);

/** Warns that changes appear late, and by how much, if keyspace notifications are disabled on a reachable master. */
export function NotificationsHint() {
  const { health } = useLiveState();
  if (health === null || health.notifications === "on" || health.state === "down") return null;
  return <NotificationsAdvice detail={health.detail} polling={health.polling} />;
}
