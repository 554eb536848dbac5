"use client";

import type { ReactNode } from "react";
import { formatLabel, formatsOf, formatsText } from "@/components/lock/format-facts.ts";
import { HolderName, hasName } from "@/components/lock/holder-text.tsx";
import { holdOffOf, nameOf } from "@/components/lock/lock-facts.ts";
import { HeldFor, Remaining } from "@/components/lock/lock-times.tsx";
import { VerdictEvidence } from "@/components/lock/verdict-text.tsx";
import { VotesText } from "@/components/lock/votes-text.tsx";
import { waitersText } from "@/components/lock/waiters-text.tsx";
import { formatFence } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { FORMAT_FACTS } from "@/lib/contract/format-facts.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

/** Who holds it, or in whose name everybody is kept off. */
export function HeldBy({ holder, children }: { holder: Holder; children?: ReactNode }) {
  const holdOff = holdOffOf(holder.owner);
  if (holdOff === null) {
    return (
      <Fact name="Held by">
        <HolderName holder={holder} wrap />
        {children}
      </Fact>
    );
  }
  return (
    <Fact name="Held off">
      {holdOff.by === null ? (
        "for its least hold time"
      ) : (
        <>
          by <SafeText text={holdOff.by} wrap />
        </>
      )}
      {children}
    </Fact>
  );
}

/** What is about to be freed, as it was seen: the lock, or one of its holders. */
export function FreeFacts({ lock, only }: { lock: Lock; only?: Holder | undefined }) {
  const holder = only ?? lock.holders[0];
  if (holder === undefined) return <p className="text-ink-2">Nobody holds it.</p>;
  const others = lock.holders.length - 1;
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      <HeldBy holder={holder}>
        {holder.count > 1 && `, count ${holder.count}`}
        {hasName(holder) && (
          <div className="font-mono text-xs break-all text-ink-3">
            <SafeText text={holder.owner} wrap />
          </div>
        )}
        {holder.record?.purpose !== undefined && nameOf(holder)?.who !== holder.record.purpose && (
          <div className="text-ink-2">
            <SafeText text={holder.record.purpose} wrap />
          </div>
        )}
        {others > 0 && (
          <div className={only === undefined ? "text-warn" : "text-ink-3"}>
            {only === undefined
              ? `and ${others} more, all of whom are freed`
              : `${others} more keep the lock`}
          </div>
        )}
      </HeldBy>
      <Fact name="For">
        <HeldFor holder={holder} />
      </Fact>
      <Fact name="Expires in">
        <Remaining lock={lock} />
        {lock.remainingMs === null && <span className="text-ink-2">: it never lapses by itself</span>}
      </Fact>
      <Fact name="Liveness">
        <VerdictEvidence lock={lock} />
      </Fact>
      <Fact name="Waiting">{waitersText(lock.waiters)}</Fact>
      {lock.votes !== undefined && (
        <Fact name="Votes">
          <VotesText lock={lock} votes={lock.votes} />
        </Fact>
      )}
      <Fact name="Format">{formatsText(lock)}</Fact>
      <Fact name="Fence">
        {holder.fence === null ? (
          <span className="text-ink-3">
            {lock.lastFence === undefined
              ? "none, taken without Lockkeeper"
              : `${lock.lastFence}, given out by Redisson`}
          </span>
        ) : (
          <span className="font-mono text-xs" title={formatFence(holder.fence)}>
            {holder.fence}
          </span>
        )}
      </Fact>
      {lock.release?.may === "yes" && lock.release.why !== undefined && (
        <Fact name="Releasing">{lock.release.why}</Fact>
      )}
      <Fact name="Old owner">
        <OldOwner lock={lock} holder={holder} />
      </Fact>
    </dl>
  );
}

/** What the holder will notice, and do. */
function OldOwner({ lock, holder }: { lock: Lock; holder: Holder }) {
  if (holdOffOf(holder.owner) !== null) return <>none: nobody works under a hold-off</>;
  if (holder.fence !== null) {
    return (
      <>
        Its next renew answers <code className="font-mono text-xs">lost</code>. Until then it may still be
        writing: only the fence protects what it touches.
      </>
    );
  }
  const formats = formatsOf(lock);
  return (
    <>
      {formats.map((format) => (
        <p key={format}>
          {formats.length > 1 && <span className="text-ink-3">{formatLabel(format)}: </span>}
          {FORMAT_FACTS[format].oldOwner}
          {FORMAT_FACTS[format].comesBack !== undefined && (
            <span className="text-warn"> {FORMAT_FACTS[format].comesBack}</span>
          )}
        </p>
      ))}
    </>
  );
}
