"use client";

import type { ReactNode } from "react";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { NextHolderText } from "@/components/lock-facts/next-holder-text.tsx";
import { formatReleaseAdvice } from "@/components/lock-facts/release-text.ts";
import { getFormatLabel, listFormats } from "@/components/lock-facts/use-format-texts.ts";
import { getPermitUse } from "@/components/lock-kinds/kind-summary.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { RELEASED_TOGETHER } from "@/lib/formats/released-together.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { FACTS_CLASS, HoldFact } from "./hold-facts.tsx";
import type { ReleaseForm } from "./use-release.ts";
import { WaitFacts } from "./wait-facts.tsx";

const LISTED_WAITERS_MAX = 3;

/**
 * Shows the consequences of the chosen method: who is next, which other holds and keys are affected, and how the
 * library of the previous holder reacts. Renders nothing if the lock has no holder.
 */
export function ReleaseConsequences({ form }: { form: ReleaseForm }) {
  const messages = useMessages(english);
  const request = useMessages(releaseRequest);
  const { shown: lock, state, choice } = form;
  const isAsk = choice === "ask";
  const why = formatReleaseAdvice(lock, useMessages(lockWords));
  const holder = state.holder ?? lock.holders[0];
  if (holder === undefined) return null;
  if (lock.kind === "latch") return <p>{why}</p>;
  return (
    <dl className={FACTS_CLASS}>
      <WaitFacts lock={lock} />
      <HoldFact name={messages.next}>
        {choice === "reserve" ? (
          messages.noneWhileReserved
        ) : (
          <NextParticipant lock={lock} only={state.holder} />
        )}
      </HoldFact>
      {!isAsk && <OtherHoldersAndKeys lock={lock} only={state.holder} />}
      <HoldFact name={messages.previousHolder}>
        {isAsk ? request.previousHolder : <PreviousOwnerNotice lock={lock} holder={holder} />}
      </HoldFact>
      {lock.release?.may === "yes" && why !== null && <HoldFact name={messages.releasing}>{why}</HoldFact>}
    </dl>
  );
}

/** Shows who can acquire the lock next. If other readers keep a read lock, no writer can acquire it. */
function NextParticipant({ lock, only }: { lock: Lock; only: Holder | undefined }) {
  const messages = useMessages(lockKinds);
  const others = lock.holders.length - 1;
  if (lock.kind === "read" && only !== undefined && others > 0)
    return <>{messages.nextWhileRead(others, formatNumber(others))}</>;
  return <NextHolderText lock={lock} />;
}

/** Shows how many other holders keep the lock. For a semaphore, also shows how many permits become available. */
function OthersKeepNotice({ lock, released }: { lock: Lock; released: number }) {
  const messages = useMessages(english);
  const kinds = useMessages(lockKinds);
  const others = lock.holders.length - 1;
  const use = getPermitUse(lock);
  if (use !== null) {
    const available = Math.max(0, use.total - use.acquired + released);
    return (
      <p>
        {kinds.permitsStay(others, formatNumber(others), formatNumber(available), formatNumber(use.total))}
      </p>
    );
  }
  return (
    <p>
      {lock.kind === "read" ? kinds.readersKeep(others, formatNumber(others)) : messages.othersKeep(others)}
    </p>
  );
}

/** Shows which other holders and keys are released with the hold, and which are not. */
function OtherHoldersAndKeys({ lock, only }: { lock: Lock; only: Holder | undefined }) {
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
  if (!isWhole && others > 0)
    remaining.push(<OthersKeepNotice key="holders" lock={lock} released={nested} />);
  if (along > 0 && !goAlong) remaining.push(<p key="keys">{messages.keysStay(along)}</p>);
  return (
    <>
      {released.length > 0 && (
        <HoldFact name={messages.alsoReleased}>
          <div className="text-warn">{released}</div>
        </HoldFact>
      )}
      {remaining.length > 0 && (
        <HoldFact name={messages.notReleased}>
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

/** Shows how the previous holder notices the release and how its library reacts. */
function PreviousOwnerNotice({ lock, holder }: { lock: Lock; holder: Holder }) {
  const messages = useMessages(english);
  const lockText = useMessages(lockWords);
  const { of } = useMessages(formatFacts);
  if (parseReservedHold(holder.owner) !== null) return <>{messages.noPreviousHolder}</>;
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
