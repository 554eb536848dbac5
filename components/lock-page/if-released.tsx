"use client";

import type { Lock } from "@/lib/contract/lock.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { parseReservedHold } from "../lock-facts/lock-texts.ts";
import { NextHolderText } from "../lock-facts/next-holder-text.tsx";
import { formatReleaseAdvice, getReleaseObstacle } from "../lock-facts/release-text.ts";
import { listFormats } from "../lock-facts/use-format-texts.ts";

/**
 * Describes the consequences of a release: which client acquires the lock next, and how the library of the previous
 * holder reacts. If the lock cannot be released, explains why instead.
 */
export function IfReleased({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const words = useMessages(lockWords);
  const obstacle = getReleaseObstacle(lock, words);
  if (obstacle !== null) {
    return (
      <>
        <span className="text-warn">{messages.mustNotRelease}</span> {obstacle}
      </>
    );
  }
  if (lock.kind === "latch") return <>{formatReleaseAdvice(lock, words)}</>;
  return (
    <>
      <p>
        {messages.nextHolder} <NextHolderText lock={lock} />
      </p>
      <PreviousHolderText lock={lock} />
    </>
  );
}

function PreviousHolderText({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const { of } = useMessages(formatFacts);
  const [format, second] = listFormats(lock);
  const [holder] = lock.holders;
  if (holder === undefined) return null;
  const isReservation = parseReservedHold(holder.owner) !== null;
  const isOneFormat = format !== undefined && second === undefined;
  const text = isReservation
    ? messages.onlyReserved
    : holder.fence !== null
      ? messages.keepsWriting
      : isOneFormat && of[format].oldOwner;
  return text && <p className="text-ink-2">{text}</p>;
}
