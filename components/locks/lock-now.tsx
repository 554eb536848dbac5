"use client";

import { endingText } from "@/components/events/event-text.ts";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatAgo, formatDate, formatElapsed, formatRemaining } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockEvent } from "@/lib/contract/event.ts";
import { FORMAT_FACTS } from "@/lib/contract/format-facts.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { Fact, HeldBy } from "./free-facts.tsx";
import { graceOf, holdOffOf, holdOffText, ownRemainingAt } from "./lock-facts.ts";
import { HeldFor, LeaseBar, Remaining } from "./lock-times.tsx";

/** The lock as it stands in Redis now. */
export function LockNow({ lock, ending }: { lock: Lock; ending: LockEvent | undefined }) {
  if (lock.holders.length === 0) return <Free ending={ending} />;
  return (
    <section aria-label="Now" className="rounded-[10px] border border-line bg-panel">
      <div className="grid border-b border-line-soft grid-cols-3">
        <Figure name="Expires in">
          <Remaining lock={lock} />
          <LeaseBar lock={lock} className="mt-2 w-full max-w-48" />
        </Figure>
        <Figure name="Held for">
          <HeldFor holder={lock.holders[0]} />
        </Figure>
        <Figure name="Count">{lock.holders.reduce((sum, { count }) => sum + count, 0)}</Figure>
      </div>
      {lock.holders.map((holder) => (
        <HolderFacts key={holder.owner} lock={lock} holder={holder} />
      ))}
    </section>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="border-line-soft px-4 py-3 not-last:border-r">
      <div className="text-2xs text-ink-3">{name}</div>
      <div className="text-lg leading-7 font-semibold tracking-tight sm:text-[20px]">{children}</div>
    </div>
  );
}

function HolderFacts({ lock, holder }: { lock: Lock; holder: Holder }) {
  const { purpose, pid, trace } = holder.record ?? {};
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 px-4 py-3.5">
      <HeldBy holder={holder}>{pid !== undefined && <span className="text-ink-3">, pid {pid}</span>}</HeldBy>
      {purpose !== undefined && (
        <Fact name="Purpose">
          <SafeText text={purpose} wrap />
        </Fact>
      )}
      {trace !== undefined && (
        <Fact name="Trace">
          <Mono text={trace} copy="Copy the trace id" />
        </Fact>
      )}
      <Fact name="Owner">
        <Mono text={holder.owner} copy="Copy the owner" />
      </Fact>
      <OwnLease lock={lock} />
      <Fact name="Since">
        {holder.since === null ? (
          <span className="text-ink-3">not known</span>
        ) : (
          <>
            {formatDate(holder.since)}
            {holder.sinceIs === "at_least" && (
              <span className="text-ink-3"> or earlier: held when first seen</span>
            )}
          </>
        )}
      </Fact>
      <Fact name="Fence">
        {holder.fence === null ? (
          <span className="text-ink-3">
            none: taken without Lockkeeper, so nothing can tell its late writes
          </span>
        ) : (
          <Mono text={holder.fence} copy="Copy the fence" />
        )}
      </Fact>
      <Fact name="Format">
        {lock.format ?? "unknown"}
        {lock.kind !== null && `, ${lock.kind}`}
        {lock.format !== null && <span className="text-ink-3">: {FORMAT_FACTS[lock.format].layout}</span>}
        {lock.confidence !== null && lock.confidence !== "certain" && (
          <span className="text-ink-3">, {lock.confidence}</span>
        )}
      </Fact>
      <Fact name="Version">
        <span className="font-mono text-xs text-ink-3">
          <SafeText text={lock.version ?? "none"} wrap />
        </span>
      </Fact>
    </dl>
  );
}

/** What the holder itself may still rely on, where the lock stays taken for longer. */
function OwnLease({ lock }: { lock: Lock }) {
  const left = ownRemainingAt(lock, useServerNow());
  if (left === null) return null;
  return (
    <Fact name="Its lease">
      {left > 0 ? (
        <>
          ends in {formatRemaining(left)}
          <span className="text-ink-3">
            ; nobody gets the lock for {formatElapsed(graceOf(lock) ?? 0)} after
          </span>
        </>
      ) : (
        <>
          <span className="text-warn">over</span>
          <span className="text-ink-3">; its grace keeps the lock taken until it expires</span>
        </>
      )}
    </Fact>
  );
}

function Mono({ text, copy }: { text: string; copy: string }) {
  return (
    <span className="flex min-w-0 items-start gap-1 font-mono text-xs">
      <span className="min-w-0">
        <SafeText text={text} wrap />
      </span>
      <CopyButton text={text} label={copy} small />
    </span>
  );
}

function Free({ ending }: { ending: LockEvent | undefined }) {
  const now = useServerNow();
  return (
    <section
      aria-label="Now"
      className="rounded-[10px] border border-line bg-panel px-4 py-4"
      data-testid="free"
    >
      <p className="text-[20px] leading-7 font-semibold tracking-tight">free</p>
      {ending !== undefined && (
        <p className="text-ink-2">
          The last hold
          {ending.owner !== undefined && <LastOwner owner={ending.owner} />} ended: {endingText(ending)}{" "}
          {now === null ? "" : formatAgo(now - ending.at)}
          {ending.reason ? (
            <>
              , “<SafeText text={ending.reason} wrap />”
            </>
          ) : null}
          .
        </p>
      )}
    </section>
  );
}

function LastOwner({ owner }: { owner: string }) {
  const holdOff = holdOffOf(owner);
  if (holdOff !== null) {
    return (
      <>
        , the <SafeText text={holdOffText(holdOff)} wrap />,
      </>
    );
  }
  return (
    <>
      {", of "}
      <span className="font-mono text-xs">
        <SafeText text={owner} wrap />
      </span>
      ,
    </>
  );
}
