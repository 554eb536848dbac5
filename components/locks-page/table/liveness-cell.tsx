"use client";

import clsx from "clsx";
import {
  formatLivenessEvidence,
  formatLivenessLines,
  isLivenessCritical,
} from "@/components/lock-facts/liveness-label.ts";
import type { Liveness } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** Shows the liveness as text. A critical state has a red dot and red text. */
export function LivenessCell({ lock }: { lock: Lock }) {
  const { liveness, state, asOf } = lock;
  if (liveness === null || state !== "held") return null;
  // Only the text of an overdue renewal changes with time, so only that text needs the clock.
  const isBad = isLivenessCritical(lock);
  if (liveness.state === "overdue") return <OverdueLiveness liveness={liveness} asOf={asOf} isBad={isBad} />;
  return <LivenessCellText liveness={liveness} now={asOf} isBad={isBad} />;
}

interface LivenessCellProps {
  liveness: Liveness;
  isBad: boolean;
}

function OverdueLiveness({ asOf, ...cell }: LivenessCellProps & { asOf: number }) {
  return <LivenessCellText {...cell} now={useServerNow() ?? asOf} />;
}

function LivenessCellText({ liveness, now, isBad }: LivenessCellProps & { now: number }) {
  const messages = useMessages(english);
  const { word, under } = formatLivenessLines(liveness, now, messages);
  return (
    <span className="block leading-[1.25]" title={formatLivenessEvidence(liveness, now, messages)}>
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
