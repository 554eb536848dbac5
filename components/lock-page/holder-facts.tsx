"use client";

import { HolderFact, HoldFact } from "@/components/release/hold-facts.tsx";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatElapsed, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { hasHolderName, isOwnerUnknown } from "../lock-facts/holder-text.tsx";
import { computeOwnRemainingMs, getGraceMs } from "../lock-facts/lock-texts.ts";
import { ReleaseRequestText } from "../lock-facts/release-request-text.tsx";

interface HolderFactsProps {
  lock: Lock;
  holder: Holder;
  /** Called to release only this holder; `undefined` if the holders of the lock cannot be released separately. */
  onRelease?: ((holder: Holder) => void) | undefined;
  blocked: string | null;
}

/** Shows the details of one holder, such as its owner record, lease and fencing token. */
export function HolderFacts({ lock, holder, onRelease, blocked }: HolderFactsProps) {
  const messages = useMessages(lockPage);
  const request = useMessages(releaseRequest);
  const { purpose, pid, trace, session } = holder.record ?? {};
  const isUnknown = isOwnerUnknown(holder);
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 border-line-soft px-4 py-3.5 [dl+&]:border-t">
      <HolderFact holder={holder}>
        {pid !== undefined && <span className="text-ink-3">{messages.pid(pid)}</span>}
        {holder.role !== undefined && <span className="text-ink-3">{messages.role(holder.role)}</span>}
        {holder.count > 1 && <span className="text-ink-3">{messages.counted(holder.count)}</span>}
        {!hasHolderName(holder) && (
          <span className="ml-1 inline-block align-middle">
            <CopyButton text={holder.owner} label={messages.copyOwner} small />
          </span>
        )}
      </HolderFact>
      {holder.releaseRequested && (
        <HoldFact name={request.name}>
          <ReleaseRequestText request={holder.releaseRequested} />
        </HoldFact>
      )}
      {purpose !== undefined && (
        <HoldFact name={messages.purpose}>
          <SafeText text={purpose} wrap />
        </HoldFact>
      )}
      {session !== undefined && (
        <HoldFact name={messages.session}>
          <SafeText text={session} wrap />
        </HoldFact>
      )}
      {trace !== undefined && (
        <HoldFact name={messages.trace}>
          <MonoText text={trace} copy={messages.copyTrace} />
        </HoldFact>
      )}
      {hasHolderName(holder) && (
        <HoldFact name={isUnknown ? messages.value : messages.owner}>
          <MonoText text={holder.owner} copy={isUnknown ? messages.copyValue : messages.copyOwner} />
        </HoldFact>
      )}
      {lock.holders.length === 1 ? (
        <HolderLease lock={lock} />
      ) : (
        <HolderLeaseEnd lock={lock} holder={holder} />
      )}
      <HoldFact name={messages.since}>
        <HeldSince holder={holder} />
      </HoldFact>
      <HoldFact name={messages.fence}>
        {holder.fence === null ? (
          <span className="text-ink-3">{messages.noFence}</span>
        ) : (
          <MonoText text={holder.fence} copy={messages.copyFence} />
        )}
      </HoldFact>
      {holder.holdId !== null && (
        <HoldFact name={messages.holdId}>
          <MonoText text={shortenHoldId(holder.holdId)} value={holder.holdId} copy={messages.copyHoldId} />
        </HoldFact>
      )}
      {onRelease !== undefined && (
        <HoldFact name="">
          <Button size="small" blocked={blocked} onClick={() => onRelease(holder)}>
            {messages.releaseHolder}
          </Button>
        </HoldFact>
      )}
    </dl>
  );
}

function HeldSince({ holder: { since, sinceIs } }: { holder: Holder }) {
  const messages = useMessages(lockPage);
  if (since === null) return <span className="text-ink-3">{messages.sinceUnknown}</span>;
  return (
    <>
      {formatDate(since)}
      <span className="text-ink-3">{messages.sinceHow[sinceIs]}</span>
    </>
  );
}

/**
 * Shows the remaining lease of the holder, and the grace period after it. Shows nothing if the lock has no grace
 * period.
 */
function HolderLease({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const uiMessages = useMessages(ui);
  const left = computeOwnRemainingMs(lock, useServerNow());
  if (left === null) return null;
  return (
    <HoldFact name={messages.lease}>
      {left > 0 ? (
        <>
          {messages.endsIn(formatRemaining(left, uiMessages))}
          <span className="text-ink-3">
            {messages.graceAfter(formatElapsed(getGraceMs(lock) ?? 0, uiMessages))}
          </span>
        </>
      ) : (
        <>
          <span className="text-warn">{messages.leaseExpired}</span>
          <span className="text-ink-3">{messages.inGrace}</span>
        </>
      )}
    </HoldFact>
  );
}

/** Shows the remaining lease of one of several holders, each of which has its own lease. */
function HolderLeaseEnd({ lock, holder: { remainingMs } }: { lock: Lock; holder: Holder }) {
  const messages = useMessages(lockPage);
  const uiMessages = useMessages(ui);
  const now = useServerNow() ?? lock.asOf;
  return (
    <HoldFact name={messages.lease}>
      {remainingMs === null ? (
        <span className={lock.unlisted ? undefined : "text-bad"}>{messages.noTtl}</span>
      ) : (
        messages.endsIn(formatRemaining(remainingMs - Math.max(0, now - lock.asOf), uiMessages))
      )}
    </HoldFact>
  );
}

/** Shortens a hold id in the middle for display. The copy button copies the whole id. */
const shortenHoldId = (holdId: string) =>
  holdId.length <= 32 ? holdId : `${holdId.slice(0, 20)}…${holdId.slice(-8)}`;

interface MonoTextProps {
  text: string;
  /** The text to copy if it differs from the visible text. */
  value?: string;
  copy: string;
}

function MonoText({ text, value = text, copy }: MonoTextProps) {
  return (
    <span className="flex min-w-0 items-start gap-1 font-mono text-xs">
      <span className="min-w-0" title={value === text ? undefined : value}>
        <SafeText text={text} wrap />
      </span>
      <CopyButton text={value} label={copy} small />
    </span>
  );
}
