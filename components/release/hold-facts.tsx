"use client";

import type { ReactNode } from "react";
import { HolderName, hasHolderName } from "@/components/lock-facts/holder-text.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { getHolderLabel, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { HeldFor, RemainingTime } from "@/components/lock-facts/lock-times.tsx";
import { describeFormats } from "@/components/lock-facts/use-format-texts.ts";
import { VotesText } from "@/components/lock-facts/votes-text.tsx";
import { formatFence, formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTypicalDurations } from "@/lib/queries/typical-durations.ts";

export const FACTS_CLASS = "grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.5";

export function HoldFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

export const SECTION_HEADING_CLASS = "text-xs font-medium text-ink-3";

interface FactSectionProps {
  title: string;
  /** Whether only screen readers get the title. */
  isTitleHidden?: boolean;
  children: ReactNode;
}

export function FactSection({ title, isTitleHidden = false, children }: FactSectionProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      {!isTitleHidden && <h3 className={SECTION_HEADING_CLASS}>{title}</h3>}
      {children}
    </section>
  );
}

/** Shows the holder. For a reservation, shows the operator who made it, or that it enforces the minimum hold time. */
export function HolderFact({ holder, children }: { holder: Holder; children?: ReactNode }) {
  const messages = useMessages(english);
  const reservation = parseReservedHold(holder.owner);
  if (reservation === null) {
    return (
      <HoldFact name={messages.heldBy}>
        <HolderName holder={holder} wrap />
        {children}
      </HoldFact>
    );
  }
  return (
    <HoldFact name={messages.reserved}>
      {reservation.by === null
        ? messages.forMinimumHold
        : messages.by(<SafeText text={reservation.by} wrap />)}
      {children}
    </HoldFact>
  );
}

/** Minimum number of holds from which a typical duration is shown, as on the server. */
const TYPICAL_SAMPLES_MIN = 3;

interface HoldFactsProps {
  lock: Lock;
  /** The holder to show if the lock has several holders; `undefined` for the whole lock. */
  only?: Holder | undefined;
  /**
   * Time at which the hold ended, on the Redis clock, in Unix milliseconds; `null` while it continues. Displayed times
   * stop at this time.
   */
  endedAt?: number | null;
}

/**
 * Shows the facts of a hold: holder, hold time, expiry, fencing token and format. For a latch, shows its count and
 * meaning instead.
 */
export function HoldFacts({ lock, only, endedAt = null }: HoldFactsProps) {
  const messages = useMessages(english);
  const kinds = useMessages(lockKinds);
  const lockText = useMessages(lockWords);
  const typical = useTypicalDurations(toLockPath(lock))?.heldMs ?? null;
  const holder = only ?? lock.holders[0];
  if (holder === undefined) return <p className="text-ink-2">{messages.notHeld}</p>;
  if (lock.kind === "latch") {
    return (
      <>
        <p>{kinds.latchClosed(formatNumber(holder.count))}</p>
        <p className="text-ink-2">{kinds.latchMeans}</p>
      </>
    );
  }
  return (
    <>
      <dl className={FACTS_CLASS}>
        <HolderFact holder={holder}>
          {holder.count > 1 &&
            (lock.kind === "semaphore"
              ? `, ${kinds.permitCount(holder.count, formatNumber(holder.count))}`
              : messages.count(holder.count))}
          <OwnerString holder={holder} />
        </HolderFact>
        {lock.votes !== undefined && (
          <HoldFact name={messages.votes}>
            <VotesText lock={lock} votes={lock.votes} />
          </HoldFact>
        )}
      </dl>
      <dl className={`${FACTS_CLASS} sm:grid-cols-[104px_minmax(0,1fr)_56px_minmax(0,1fr)]`}>
        <HoldFact name={messages.forHowLong}>
          <HeldFor holder={holder} endedAt={endedAt} />
          {typical !== null && typical.samples >= TYPICAL_SAMPLES_MIN && (
            <span className="text-ink-3">{messages.typically(formatSpan(typical.p50, lockText))}</span>
          )}
        </HoldFact>
        <HoldFact name={messages.expires}>
          <RemainingTime lock={only === undefined ? lock : toOwnLease(lock, only)} endedAt={endedAt} />
        </HoldFact>
        <HoldFact name={messages.fence}>
          <FencingTokenText lock={lock} holder={holder} />
        </HoldFact>
        <HoldFact name={messages.format}>{describeFormats(lock, lockText)}</HoldFact>
      </dl>
    </>
  );
}

/** Returns the lock with the remaining lease of one holder. Each holder of a lock has its own lease. */
function toOwnLease(lock: Lock, { version, remainingMs }: Holder): Lock {
  const holder = lock.holders.find((each) => each.version === version);
  return { ...lock, remainingMs: holder === undefined ? remainingMs : holder.remainingMs };
}

/** Shows the owner string and the purpose. Omits values that the name of the holder already contains. */
function OwnerString({ holder }: { holder: Holder }) {
  const purpose = holder.record?.purpose;
  return (
    <>
      {hasHolderName(holder) && (
        <div className="font-mono text-xs break-all text-ink-3">
          <SafeText text={holder.owner} wrap />
        </div>
      )}
      {purpose !== undefined && getHolderLabel(holder)?.who !== purpose && (
        <div className="text-ink-2">
          <SafeText text={purpose} wrap />
        </div>
      )}
    </>
  );
}

function FencingTokenText({ lock, holder: { fence } }: { lock: Lock; holder: Holder }) {
  const messages = useMessages(english);
  if (fence === null) {
    return (
      <span className="text-ink-3" title={lock.lastFence === undefined ? messages.noFence : undefined}>
        {lock.lastFence === undefined ? messages.none : messages.redissonsFence(lock.lastFence)}
      </span>
    );
  }
  return (
    <span className="font-mono text-2xs" title={formatFence(fence)}>
      {fence}
    </span>
  );
}
