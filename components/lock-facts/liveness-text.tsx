"use client";

import clsx from "clsx";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatLivenessEvidence, isLivenessCritical } from "./liveness-label.ts";

const LIVENESS_CLASS: Record<LivenessState, string> = {
  alive: "text-ink-3",
  overdue: "text-bad",
  not_renewing: "text-ink-3",
  no_ttl: "text-bad",
  unknown: "text-ink-3",
};

/** Where the table has no room for a column of liveness; its evidence is its title. A lock without expiry says so beside it already. */
export function LivenessLabel({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const { liveness } = lock;
  if (liveness === null || liveness.state === "unknown" || liveness.state === "no_ttl") return null;
  return (
    <span
      className={clsx("text-2xs", lock.unlisted ? "text-ink-3" : LIVENESS_CLASS[liveness.state])}
      title={formatLivenessEvidence(liveness, lock.asOf, messages)}
    >
      {messages.liveness[liveness.state]}
    </span>
  );
}

/** The word for the liveness of a held lock; its evidence is its title. */
export function LivenessWord({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const { liveness, state } = lock;
  if (liveness === null || state !== "held") return null;
  return (
    <span
      className={LIVENESS_CLASS[liveness.state]}
      title={formatLivenessEvidence(liveness, lock.asOf, messages)}
    >
      {messages.liveness[liveness.state]}
    </span>
  );
}

/** The liveness with its evidence, live. */
export function LivenessEvidence({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const now = useServerNow() ?? lock.asOf;
  const { liveness } = lock;
  if (liveness === null) return null;
  // It has been watched since then, too.
  const watchedMs = liveness.watchedMs + Math.max(0, now - lock.asOf);
  const evidence = formatLivenessEvidence({ ...liveness, watchedMs }, now, messages);
  if (liveness.state === "unknown") return <span className="text-ink-3">{evidence}</span>;
  const isBad = isLivenessCritical(lock);
  return messages.livenessWith(
    <span className={isBad ? "font-medium text-bad" : undefined}>{messages.liveness[liveness.state]}</span>,
    evidence,
  );
}
