"use client";

import clsx from "clsx";
import type { VerdictState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { evidenceOf } from "./liveness-label.ts";

const INK: Record<VerdictState, string> = {
  renewing: "text-ink-3",
  late: "text-bad",
  "fixed-lease": "text-ink-3",
  "no-expiry": "text-bad",
  unknown: "text-ink-3",
};

/** Where the table has no room for a column of verdicts; its evidence is its title. A lock without expiry says so beside it already. */
export function VerdictWord({ lock }: { lock: Lock }) {
  const words = useWords(english);
  const { verdict } = lock;
  if (verdict === null || verdict.state === "unknown" || verdict.state === "no-expiry") return null;
  return (
    <span className={clsx("text-2xs", INK[verdict.state])} title={evidenceOf(verdict, lock.asOf, words)}>
      {words.verdicts[verdict.state]}
    </span>
  );
}

/** The verdict with its evidence, live. */
export function VerdictEvidence({ lock }: { lock: Lock }) {
  const words = useWords(english);
  const now = useServerNow() ?? lock.asOf;
  const { verdict } = lock;
  if (verdict === null) return null;
  // It has been watched since then, too.
  const watchedMs = verdict.watchedMs + Math.max(0, now - lock.asOf);
  const evidence = evidenceOf({ ...verdict, watchedMs }, now, words);
  if (verdict.state === "unknown") return <span className="text-ink-3">{evidence}</span>;
  const isBad = verdict.state === "late" || verdict.state === "no-expiry";
  return words.verdictWith(
    <span className={isBad ? "font-medium text-bad" : undefined}>{words.verdicts[verdict.state]}</span>,
    evidence,
  );
}
