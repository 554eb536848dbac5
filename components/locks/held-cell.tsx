"use client";

import clsx from "clsx";
import { HeldFor } from "@/components/lock/lock-times.tsx";
import { isPastUsual, usualText } from "@/components/lock/usual-facts.ts";
import { formatSpan } from "@/components/ui/duration.ts";
import { keyOfFields } from "@/lib/contract/key.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useUsualHeld } from "@/lib/live/usual-held.ts";

/** For how long it is held, and under it what is usual; in colour where it is past that. */
export function HeldCell({ lock }: { lock: Lock }) {
  const now = useServerNow();
  const usual = useUsualHeld(keyOfFields(lock));
  return (
    <span className="block leading-[1.25]">
      <span className={clsx("block", isPastUsual(lock, usual, now) && "font-medium text-warn")}>
        <HeldFor holder={lock.holders[0]} />
      </span>
      {usual !== undefined && usualText(usual) !== "" && (
        <span
          className="block truncate text-2xs text-ink-3"
          data-testid="usual"
          data-second
          title={`Of locks with such a name half are held for less than ${formatSpan(usual.p50)}, and nineteen of twenty for less than ${formatSpan(usual.p95)}`}
        >
          {usualText(usual)}
        </span>
      )}
    </span>
  );
}
