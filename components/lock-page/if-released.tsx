"use client";

import type { ReactNode } from "react";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { toLockPath } from "../lock-facts/lock-path.ts";
import { parseReservedHold } from "../lock-facts/lock-texts.ts";
import { shortenOwner } from "../lock-facts/owner-text.ts";
import { getReleaseObstacle } from "../lock-facts/release-text.ts";
import { listFormats } from "../lock-facts/use-format-texts.ts";
/** What happens when it is freed: who has it next, and what the old owner's library does. */
export function IfReleased({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const facts = useMessages(formatFacts);
  const never = getReleaseObstacle(lock, useMessages(lockWords));
  if (never !== null) {
    return (
      <>
        <span className="text-warn">{messages.mayNot}</span> {never}
      </>
    );
  }
  const [format, second] = listFormats(lock);
  const [holder] = lock.holders;
  const oldOwner =
    holder !== undefined && parseReservedHold(holder.owner) !== null
      ? messages.nobodyWorks
      : holder?.fence != null
        ? messages.keepsWriting
        : format !== undefined && second === undefined
          ? facts.of[format].oldOwner
          : "";
  return (
    <>
      <NextHolderText lock={lock} /> <span className="text-ink-2">{oldOwner}</span>
    </>
  );
}

function NextHolderText({ lock: { waiters }, lock }: { lock: Lock }): ReactNode {
  const messages = useMessages(lockPage);
  const { data } = useWaiters(toLockPath(lock), waiters.count);
  if (!waiters.count) return waiters.known === "unknown" ? messages.nextUnseen : messages.nobodyNext;
  const first = data?.items.find(({ place }) => place === 1);
  if (first === undefined) return messages.nextOpen(formatNumber(waiters.count));
  return messages.nextIs(
    <span className="font-mono text-xs">
      <SafeText text={shortenOwner(first.owner)} wrap />
    </span>,
  );
}
