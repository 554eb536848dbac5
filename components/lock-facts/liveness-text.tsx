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

/**
 * Shows the liveness as a word, with the evidence in a tooltip, for tables without room for the liveness column. Shows
 * nothing for `unknown`. Also shows nothing for `no_ttl`, which the row shows elsewhere.
 */
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

/** Shows the name of a liveness state in the color of that state. */
export function LivenessStateText({ state }: { state: LivenessState }) {
  const messages = useMessages(english);
  return <span className={LIVENESS_CLASS[state]}>{messages.liveness[state]}</span>;
}

/** Shows the liveness of a held lock as a word, with the evidence in a tooltip. */
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

/** Shows the liveness and its evidence, with times that update continuously. */
export function LivenessEvidence({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const now = useServerNow() ?? lock.asOf;
  const { liveness } = lock;
  if (liveness === null) return null;
  // The lock has also been watched since the last read.
  const watchedMs = liveness.watchedMs + Math.max(0, now - lock.asOf);
  const evidence = formatLivenessEvidence({ ...liveness, watchedMs }, now, messages);
  if (liveness.state === "unknown") return <span className="text-ink-3">{evidence}</span>;
  const isBad = isLivenessCritical(lock);
  return messages.livenessWith(
    <span className={isBad ? "font-medium text-bad" : undefined}>{messages.liveness[liveness.state]}</span>,
    evidence,
  );
}
