"use client";

import clsx from "clsx";
import { evidenceOf, verdictLines } from "@/components/lock-facts/liveness-label.ts";
import type { Verdict } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** In words; with a dot and in colour what is wrong. */
export function VerdictCell({ lock }: { lock: Lock }) {
  const { verdict, state, asOf } = lock;
  if (verdict === null || state !== "held") return null;
  // Of a late one alone the words change with the time.
  if (verdict.state === "late") return <LateVerdict verdict={verdict} asOf={asOf} />;
  return <VerdictWords verdict={verdict} now={asOf} />;
}

function LateVerdict({ verdict, asOf }: { verdict: Verdict; asOf: number }) {
  return <VerdictWords verdict={verdict} now={useServerNow() ?? asOf} />;
}

function VerdictWords({ verdict, now }: { verdict: Verdict; now: number }) {
  const words = useWords(english);
  const { word, under } = verdictLines(verdict, now, words);
  const isBad = verdict.state === "late" || verdict.state === "no-expiry";
  return (
    <span className="block leading-[1.25]" title={evidenceOf(verdict, now, words)}>
      <span className={clsx("flex items-center gap-1.5", isBad ? "text-bad" : "text-ink-3")}>
        {isBad && <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-bad" />}
        <span className="truncate">{word}</span>
      </span>
      {under !== "" && (
        <span data-second className="block truncate text-2xs text-ink-3">
          {under}
        </span>
      )}
    </span>
  );
}
