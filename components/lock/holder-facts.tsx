"use client";

import { Fact, HeldBy } from "@/components/free/free-facts.tsx";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatElapsed, formatRemaining } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { graceOf, ownRemainingAt } from "./lock-facts.ts";

interface HolderFactsProps {
  lock: Lock;
  holder: Holder;
  /** Given where one of several holders may be freed alone. */
  onFree?: ((holder: Holder) => void) | undefined;
  blocked: string | null;
}

/** One holder: who, since when, for how long. */
export function HolderFacts({ lock, holder, onFree, blocked }: HolderFactsProps) {
  const { purpose, pid, trace } = holder.record ?? {};
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 border-line-soft px-4 py-3.5 [dl+&]:border-t">
      <HeldBy holder={holder}>
        {pid !== undefined && <span className="text-ink-3">, pid {pid}</span>}
        {holder.role !== undefined && <span className="text-ink-3">, {holder.role}</span>}
        {holder.count > 1 && <span className="text-ink-3">, count {holder.count}</span>}
      </HeldBy>
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
      {lock.holders.length === 1 ? <OwnLease lock={lock} /> : <OwnEnd lock={lock} holder={holder} />}
      <Fact name="Since">
        <Since holder={holder} />
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
      {onFree !== undefined && (
        <Fact name="">
          <Button size="small" blocked={blocked} onClick={() => onFree(holder)}>
            Free this holder…
          </Button>
        </Fact>
      )}
    </dl>
  );
}

function Since({ holder: { since, sinceIs } }: { holder: Holder }) {
  if (since === null) return <span className="text-ink-3">not known</span>;
  const how = {
    exact: "",
    at_least: " or earlier: held when first seen",
    told: " as its owner string tells, by its client's clock",
  }[sinceIs];
  return (
    <>
      {formatDate(since)}
      <span className="text-ink-3">{how}</span>
    </>
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

/** Of one of several holders, which end one by one. */
function OwnEnd({ lock, holder: { remainingMs } }: { lock: Lock; holder: Holder }) {
  const now = useServerNow() ?? lock.asOf;
  return (
    <Fact name="Its lease">
      {remainingMs === null ? (
        <span className="text-bad">no expiry</span>
      ) : (
        <>ends in {formatRemaining(remainingMs - Math.max(0, now - lock.asOf))}</>
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
