"use client";

import type { ReactNode } from "react";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { pathOf } from "../lock-facts/lock-path.ts";
import { holdOffOf, shortOwner } from "../lock-facts/lock-texts.ts";
import { neverFreed } from "../lock-facts/release-text.ts";
import { formatsOf } from "../lock-facts/use-format-texts.ts";
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
