"use client";

import { Fact, HeldBy } from "@/components/release/hold-facts.tsx";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatElapsed, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { hasName } from "../lock-facts/holder-text.tsx";
import { graceOf, ownRemainingAt } from "../lock-facts/lock-texts.ts";

interface HolderFactsProps {
  lock: Lock;
  holder: Holder;
  /** Given where one of several holders may be freed alone. */
  onFree?: ((holder: Holder) => void) | undefined;
  blocked: string | null;
}

/** One holder: who, since when, for how long. */
export function HolderFacts({ lock, holder, onFree, blocked }: HolderFactsProps) {
  const words = useWords(lockPage);
  const { purpose, pid, trace } = holder.record ?? {};
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 border-line-soft px-4 py-3.5 [dl+&]:border-t">
      <HeldBy holder={holder}>
        {pid !== undefined && <span className="text-ink-3">{words.pid(pid)}</span>}
        {holder.role !== undefined && <span className="text-ink-3">{words.role(holder.role)}</span>}
        {!hasName(holder) && (
          <span className="ml-1 inline-block align-middle">
            <CopyButton text={holder.owner} label={words.copyOwner} small />
          </span>
        )}
        {holder.count > 1 && <span className="text-ink-3">{words.counted(holder.count)}</span>}
      </HeldBy>
      {purpose !== undefined && (
        <Fact name={words.purpose}>
          <SafeText text={purpose} wrap />
        </Fact>
      )}
      {trace !== undefined && (
        <Fact name={words.trace}>
          <Mono text={trace} copy={words.copyTrace} />
        </Fact>
      )}
      {hasName(holder) && (
        <Fact name={words.owner}>
          <Mono text={holder.owner} copy={words.copyOwner} />
        </Fact>
      )}
      {lock.holders.length === 1 ? <OwnLease lock={lock} /> : <OwnEnd lock={lock} holder={holder} />}
      <Fact name={words.since}>
        <Since holder={holder} />
      </Fact>
      <Fact name={words.fence}>
        {holder.fence === null ? (
          <span className="text-ink-3">{words.noFence}</span>
        ) : (
          <Mono text={holder.fence} copy={words.copyFence} />
        )}
      </Fact>
      {onFree !== undefined && (
        <Fact name="">
          <Button size="small" blocked={blocked} onClick={() => onFree(holder)}>
            {words.freeHolder}
          </Button>
        </Fact>
      )}
    </dl>
  );
}

function Since({ holder: { since, sinceIs } }: { holder: Holder }) {
  const words = useWords(lockPage);
  if (since === null) return <span className="text-ink-3">{words.sinceUnknown}</span>;
  return (
    <>
      {formatDate(since)}
      <span className="text-ink-3">{words.sinceHow[sinceIs]}</span>
    </>
  );
}

/** What the holder itself may still rely on, where the lock stays taken for longer. */
function OwnLease({ lock }: { lock: Lock }) {
  const words = useWords(lockPage);
  const left = ownRemainingAt(lock, useServerNow());
  if (left === null) return null;
  return (
    <Fact name={words.itsLease}>
      {left > 0 ? (
        <>
          {words.endsIn(formatRemaining(left))}
          <span className="text-ink-3">{words.graceAfter(formatElapsed(graceOf(lock) ?? 0))}</span>
        </>
      ) : (
        <>
          <span className="text-warn">{words.over}</span>
          <span className="text-ink-3">{words.graceKeeps}</span>
        </>
      )}
    </Fact>
  );
}

/** Of one of several holders, which end one by one. */
function OwnEnd({ lock, holder: { remainingMs } }: { lock: Lock; holder: Holder }) {
  const words = useWords(lockPage);
  const now = useServerNow() ?? lock.asOf;
  return (
    <Fact name={words.itsLease}>
      {remainingMs === null ? (
        <span className="text-bad">{words.noExpiry}</span>
      ) : (
        words.endsIn(formatRemaining(remainingMs - Math.max(0, now - lock.asOf)))
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
