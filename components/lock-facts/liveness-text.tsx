"use client";

import clsx from "clsx";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatLivenessEvidence } from "./liveness-label.ts";

const LIVENESS_CLASS: Record<LivenessState, string> = {
  renewing: "text-ink-3",
  late: "text-bad",
  "fixed-lease": "text-ink-3",
  "no-expiry": "text-bad",
  unknown: "text-ink-3",
};

/** Where the table has no room for a column of verdicts; its evidence is its title. A lock without expiry says so beside it already. */
export function LivenessLabel({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const { verdict } = lock;
  if (verdict === null || verdict.state === "unknown" || verdict.state === "no-expiry") return null;
  return (
    <span
      className={clsx("text-2xs", LIVENESS_CLASS[verdict.state])}
      title={formatLivenessEvidence(verdict, lock.asOf, messages)}
    >
      {messages.verdicts[verdict.state]}
    </span>
  );
}

/** The verdict with its evidence, live. */
export function LivenessEvidence({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const now = useServerNow() ?? lock.asOf;
  const { verdict } = lock;
  if (verdict === null) return null;
  // It has been watched since then, too.
  const watchedMs = verdict.watchedMs + Math.max(0, now - lock.asOf);
  const evidence = formatLivenessEvidence({ ...verdict, watchedMs }, now, messages);
  if (verdict.state === "unknown") return <span className="text-ink-3">{evidence}</span>;
  const isBad = verdict.state === "late" || verdict.state === "no-expiry";
  return messages.verdictWith(
    <span className={isBad ? "font-medium text-bad" : undefined}>{messages.verdicts[verdict.state]}</span>,
    evidence,
  );
}
