"use client";

import type { ReactNode } from "react";
import { formatNumber } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { useWaiters } from "@/lib/live/waiters.ts";
import { formatFacts } from "@/lib/words/en/format-facts.ts";
import { lock as lockWords } from "@/lib/words/en/lock.tsx";
import { lockPage } from "@/lib/words/en/lock-page.tsx";
import { useWords } from "@/lib/words/words.tsx";
import { formatsOf } from "./format-facts.ts";
import { holdOffOf, shortOwner } from "./lock-facts.ts";
import { pathOf } from "./lock-path.ts";
import { neverFreed } from "./release-text.ts";
/** What happens when it is freed: who has it next, and what the old owner's library does. */
export function IfFreed({ lock }: { lock: Lock }) {
  const words = useWords(lockPage);
  const facts = useWords(formatFacts);
  const never = neverFreed(lock, useWords(lockWords));
  if (never !== null) {
    return (
      <>
        <span className="text-warn">{words.mayNot}</span> {never}
      </>
    );
  }
  const [format, second] = formatsOf(lock);
  const [holder] = lock.holders;
  const oldOwner =
    holder !== undefined && holdOffOf(holder.owner) !== null
      ? words.nobodyWorks
      : holder?.fence != null
        ? words.keepsWriting
        : format !== undefined && second === undefined
          ? facts.of[format].oldOwner
          : "";
  return (
    <>
      <Next lock={lock} /> <span className="text-ink-2">{oldOwner}</span>
    </>
  );
}

function Next({ lock: { waiters }, lock }: { lock: Lock }): ReactNode {
  const words = useWords(lockPage);
  const { data } = useWaiters(pathOf(lock), waiters.count);
  if (!waiters.count) return waiters.known === "unknowable" ? words.nextUnseen : words.nobodyNext;
  const first = data?.items.find(({ place }) => place === 1);
  if (first === undefined) return words.nextOpen(formatNumber(waiters.count));
  return words.nextIs(
    <span className="font-mono text-xs">
      <SafeText text={shortOwner(first.owner)} wrap />
    </span>,
  );
}
