"use client";

import clsx from "clsx";
import { HeldFor } from "@/components/lock/lock-times.tsx";
import { isPastUsual, usualText } from "@/components/lock/usual-facts.ts";
import { formatSpan } from "@/components/ui/duration.ts";
import { keyOfFields } from "@/lib/contract/key.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useUsualHeld } from "@/lib/live/usual-held.ts";
import { lock as english } from "@/lib/words/en/lock.tsx";
import { table } from "@/lib/words/en/table.tsx";
import { useWords } from "@/lib/words/words.tsx";

/** For how long it is held, and under it what is usual; in colour where it is past that. */
export function HeldCell({ lock }: { lock: Lock }) {
  const words = useWords(table);
  const lockWords = useWords(english);
  const now = useServerNow();
  const usual = useUsualHeld(keyOfFields(lock));
  return (
    <span className="block leading-[1.25]">
      <span className={clsx("block", isPastUsual(lock, usual, now) && "font-medium text-warn")}>
        <HeldFor holder={lock.holders[0]} />
      </span>
      {usual !== undefined && usualText(usual, lockWords) !== "" && (
        <span
          className="block truncate text-2xs text-ink-3"
          data-testid="usual"
          data-second
          title={words.usualMeans(formatSpan(usual.p50), formatSpan(usual.p95))}
        >
          {usualText(usual, lockWords)}
        </span>
      )}
    </span>
  );
}
