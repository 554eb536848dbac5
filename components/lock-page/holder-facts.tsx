"use client";

import { HolderFact, HoldFact } from "@/components/release/hold-facts.tsx";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatElapsed, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { hasHolderName } from "../lock-facts/holder-text.tsx";
import { computeOwnRemainingMs, getGraceMs } from "../lock-facts/lock-texts.ts";

interface HolderFactsProps {
  lock: Lock;
  holder: Holder;
  /** Given where one of several holders may be freed alone. */
  onRelease?: ((holder: Holder) => void) | undefined;
  blocked: string | null;
}

/** One holder: who, since when, for how long. */
export function HolderFacts({ lock, holder, onRelease, blocked }: HolderFactsProps) {
  const words = useMessages(lockPage);
  const { purpose, pid, trace } = holder.record ?? {};
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 border-line-soft px-4 py-3.5 [dl+&]:border-t">
      <HolderFact holder={holder}>
        {pid !== undefined && <span className="text-ink-3">{words.pid(pid)}</span>}
        {holder.role !== undefined && <span className="text-ink-3">{words.role(holder.role)}</span>}
        {!hasHolderName(holder) && (
          <span className="ml-1 inline-block align-middle">
            <CopyButton text={holder.owner} label={words.copyOwner} small />
          </span>
        )}
        {holder.count > 1 && <span className="text-ink-3">{words.counted(holder.count)}</span>}
      </HolderFact>
      {purpose !== undefined && (
        <HoldFact name={words.purpose}>
          <SafeText text={purpose} wrap />
        </HoldFact>
      )}
      {trace !== undefined && (
        <HoldFact name={words.trace}>
          <MonoText text={trace} copy={words.copyTrace} />
        </HoldFact>
      )}
      {hasHolderName(holder) && (
        <HoldFact name={words.owner}>
          <MonoText text={holder.owner} copy={words.copyOwner} />
        </HoldFact>
      )}
      {lock.holders.length === 1 ? (
        <HolderLease lock={lock} />
      ) : (
        <HolderLeaseEnd lock={lock} holder={holder} />
      )}
      <HoldFact name={words.since}>
        <HeldSince holder={holder} />
      </HoldFact>
      <HoldFact name={words.fence}>
        {holder.fence === null ? (
          <span className="text-ink-3">{words.noFence}</span>
        ) : (
          <MonoText text={holder.fence} copy={words.copyFence} />
        )}
      </HoldFact>
      {onRelease !== undefined && (
        <HoldFact name="">
          <Button size="small" blocked={blocked} onClick={() => onRelease(holder)}>
            {words.freeHolder}
          </Button>
        </HoldFact>
      )}
    </dl>
  );
}

function HeldSince({ holder: { since, sinceIs } }: { holder: Holder }) {
  const words = useMessages(lockPage);
  if (since === null) return <span className="text-ink-3">{words.sinceUnknown}</span>;
  return (
    <>
      {formatDate(since)}
      <span className="text-ink-3">{words.sinceHow[sinceIs]}</span>
    </>
  );
}

/** What the holder itself may still rely on, where the lock stays taken for longer. */
function HolderLease({ lock }: { lock: Lock }) {
  const words = useMessages(lockPage);
  const left = computeOwnRemainingMs(lock, useServerNow());
  if (left === null) return null;
  return (
    <HoldFact name={words.itsLease}>
      {left > 0 ? (
        <>
          {words.endsIn(formatRemaining(left))}
          <span className="text-ink-3">{words.graceAfter(formatElapsed(getGraceMs(lock) ?? 0))}</span>
        </>
      ) : (
        <>
          <span className="text-warn">{words.over}</span>
          <span className="text-ink-3">{words.graceKeeps}</span>
        </>
      )}
    </HoldFact>
  );
}

/** Of one of several holders, which end one by one. */
function HolderLeaseEnd({ lock, holder: { remainingMs } }: { lock: Lock; holder: Holder }) {
  const words = useMessages(lockPage);
  const now = useServerNow() ?? lock.asOf;
  return (
    <HoldFact name={words.itsLease}>
      {remainingMs === null ? (
        <span className="text-bad">{words.noExpiry}</span>
      ) : (
        words.endsIn(formatRemaining(remainingMs - Math.max(0, now - lock.asOf)))
      )}
    </HoldFact>
  );
}

function MonoText({ text, copy }: { text: string; copy: string }) {
  return (
    <span className="flex min-w-0 items-start gap-1 font-mono text-xs">
      <span className="min-w-0">
        <SafeText text={text} wrap />
      </span>
      <CopyButton text={text} label={copy} small />
    </span>
  );
}
