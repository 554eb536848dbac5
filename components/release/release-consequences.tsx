"use client";

import type { ReactNode } from "react";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { formatReleaseAdvice } from "@/components/lock-facts/release-text.ts";
import { getFormatLabel, listFormats } from "@/components/lock-facts/use-format-texts.ts";
import { formatWaiterCount } from "@/components/lock-facts/waiters-text.tsx";
import { formatElapsed } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { RELEASED_TOGETHER } from "@/lib/formats/released-together.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { FACTS_CLASS, HoldFact } from "./hold-facts.tsx";
import type { ReleaseForm } from "./use-release.ts";

const LISTED_WAITERS_MAX = 3;

/** Who is next, who else is freed, and what the old owner's library will do. */
export function ReleaseConsequences({ free }: { free: ReleaseForm }) {
  const messages = useMessages(english);
  const { shown: lock, state } = free;
  const why = formatReleaseAdvice(lock, useMessages(lockWords));
  const holder = state.holder ?? lock.holders[0];
  if (holder === undefined) return null;
  return (
    <dl className={FACTS_CLASS}>
      <HoldFact name={messages.next}>
        <NextHolderText lock={lock} isReserved={free.choice === "reserve"} />
      </HoldFact>
      <OtherWaiters lock={lock} only={state.holder} />
      <HoldFact name={messages.oldOwner}>
        <PreviousOwnerNotice lock={lock} holder={holder} />
      </HoldFact>
      {lock.release?.may === "yes" && why !== null && <HoldFact name={messages.releasing}>{why}</HoldFact>}
    </dl>
  );
}

/** Who is woken, in which order, as far as that can be known. */
function NextHolderText({ lock, isReserved }: { lock: Lock; isReserved: boolean }) {
  const messages = useMessages(english);
  const lockText = useMessages(lockWords);
  const { of } = useMessages(formatFacts);
  const { data } = useWaiters(toLockPath(lock));
  const hasOrder = data?.order === "queue";
  const sentences = new Set(
    listFormats(lock).map((format) => {
      if (format !== "redisson") return of[format].waiters;
      return lock.kind === "fair" ? messages.redissonFair : messages.redissonPlain;
    }),
  );
  return (
    <>
      {data === undefined || data.items.length === 0 ? (
        <p>{formatWaiterCount(lock.waiters, lockText)}</p>
      ) : (
        <FirstWaiter waiters={data} />
      )}
      {isReserved && <p className="text-ink-2">{messages.nobodyUntil}</p>}
      {!isReserved &&
        !hasOrder &&
        [...sentences].map((text) => (
          <p key={text} className="text-ink-3">
            {text}
          </p>
        ))}
    </>
  );
}

function FirstWaiter({ waiters }: { waiters: LockWaiters }) {
  const messages = useMessages(english);
  const now = useServerNow() ?? waiters.asOf;
  const [first] = waiters.items;
  if (first === undefined) return null;
  const waited = first.since === null ? null : formatElapsed(now - first.since);
  const who = (
    <span className="font-mono text-xs">
      <SafeText text={first.owner} wrap />
    </span>
  );
  const more = Math.max(waiters.waiters.count ?? 0, waiters.named, waiters.items.length) - 1;
  const isInLine = waiters.order === "queue";
  return (
    <p>
      {isInLine ? messages.firstInLine(who, waited) : messages.firstToCome(who, waited)}
      {more > 0 && (isInLine ? messages.thenOthers(more) : messages.andOthers(more))}
    </p>
  );
}

/** Who else is freed by it, and who is not. */
function OtherWaiters({ lock, only }: { lock: Lock; only: Holder | undefined }) {
  const messages = useMessages(english);
  const others = lock.holders.length - 1;
  const isWhole = only === undefined;
  const nested = (only ?? lock.holders[0])?.count ?? 1;
  const along = lock.sharedWith.length;
  const goAlong = lock.format !== null && RELEASED_TOGETHER.has(lock.format);
  const released: ReactNode[] = [];
  if (isWhole && others > 0) released.push(<AllHoldersNotice key="holders" holders={lock.holders} />);
  if (nested > 1 && lock.kind !== "semaphore") released.push(<p key="nested">{messages.nested(nested)}</p>);
  if (along > 0 && goAlong) released.push(<p key="keys">{messages.keysAlong(along)}</p>);
  const remaining: ReactNode[] = [];
  if (!isWhole && others > 0) remaining.push(<p key="holders">{messages.othersKeep(others)}</p>);
  if (along > 0 && !goAlong) remaining.push(<p key="keys">{messages.keysStay(along)}</p>);
  return (
    <>
      {released.length > 0 && (
        <HoldFact name={messages.alsoFreed}>
          <div className="text-warn">{released}</div>
        </HoldFact>
      )}
      {remaining.length > 0 && (
        <HoldFact name={messages.alsoKeeps}>
          <div className="text-ink-2">{remaining}</div>
        </HoldFact>
      )}
    </>
  );
}

function AllHoldersNotice({ holders }: { holders: readonly Holder[] }) {
  const messages = useMessages(english);
  const more = holders.length - LISTED_WAITERS_MAX;
  return (
    <>
      <p>{messages.allHolders(holders.length)}</p>
      <ul className="text-ink-2">
        {holders.slice(0, LISTED_WAITERS_MAX).map((holder) => (
          <li key={holder.version}>
            <HolderName holder={holder} wrap />
            {holder.count > 1 && messages.count(holder.count)}
          </li>
        ))}
        {more > 0 && <li>{messages.andMore(more)}</li>}
      </ul>
    </>
  );
}

/** What the holder will notice, and do. */
function PreviousOwnerNotice({ lock, holder }: { lock: Lock; holder: Holder }) {
  const messages = useMessages(english);
  const lockText = useMessages(lockWords);
  const { of } = useMessages(formatFacts);
  if (parseReservedHold(holder.owner) !== null) return <>{messages.noOldOwner}</>;
  if (holder.fence !== null)
    return <>{messages.fencedOwner(<code className="font-mono text-xs">lost</code>)}</>;
  const formats = listFormats(lock);
  return (
    <>
      {formats.map((format) => (
        <p key={format}>
          {formats.length > 1 && (
            <span className="text-ink-3">{messages.ofFormat(getFormatLabel(format, lockText))}</span>
          )}
          {of[format].oldOwner}
          {of[format].comesBack !== undefined && <span className="text-warn"> {of[format].comesBack}</span>}
        </p>
      ))}
    </>
  );
}
