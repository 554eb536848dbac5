"use client";

import type { ReactNode } from "react";
import { formatAgo, formatElapsed, formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock, Waiters } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { findLongestHolder } from "../lock-facts/duration-rating.ts";
import { HolderName } from "../lock-facts/holder-text.tsx";
import { isLivenessCritical } from "../lock-facts/liveness-label.ts";
import { computeRemainingMs, parseReservedHold } from "../lock-facts/lock-texts.ts";
import { findLatestRequest } from "../lock-facts/release-request.ts";
import { getPermitUse } from "../lock-kinds/kind-summary.ts";

type LockPageMessages = typeof lockPage;

/** Describes the state of a lock in sentences: the holder, the liveness and the waiters. */
export function StateSentence({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const now = useServerNow() ?? lock.asOf;
  const isWrong = isLivenessCritical(lock);
  return (
    <div className="flex flex-col gap-1 border-b border-line-soft px-4 py-3.5" data-testid="state">
      <p className="line-clamp-3 text-[20px] leading-7 font-semibold tracking-tight text-pretty wrap-anywhere">
        {isWrong && (
          <span aria-hidden className="mr-2 inline-block size-2.5 rounded-full bg-bad align-[0.08em]" />
        )}
        <HeldSentence lock={lock} now={now} messages={messages} />
      </p>
      <p className="text-base text-ink-2 text-pretty">
        <LivenessSentence lock={lock} now={now} messages={messages} /> <RequestSentence lock={lock} />{" "}
        <WaitersSentence lock={lock} messages={messages} />
      </p>
    </div>
  );
}

interface SentenceProps {
  lock: Lock;
  now: number;
  messages: LockPageMessages;
}

function HeldSentence({ lock, now, messages }: SentenceProps): ReactNode {
  const shared = useMessages(lockWords);
  const kinds = useMessages(lockKinds);
  const holder = findLongestHolder(lock);
  if (holder === undefined) return messages.notHeld;
  const shares = formatSharedState(lock, kinds);
  if (shares !== null && lock.state === "held") return shares;
  const reservation = parseReservedHold(holder.owner);
  if (reservation !== null) {
    const left = computeRemainingMs(lock, now);
    const by = reservation.by === null ? null : <SafeText text={reservation.by} wrap />;
    return messages.reserved(by, left === null ? null : formatRemaining(left, shared));
  }
  const who = <HolderName holder={holder} wrap isHeading />;
  if (lock.state === "ended") return messages.ended(who);
  return lock.holders.length > 1 ? messages.heldByMany(lock.holders.length) : messages.held(who);
}

/**
 * Describes a lock by its readers, its permits or the count of a latch. Returns `null` for a lock that is described by
 * its holder.
 */
function formatSharedState(lock: Lock, messages: Messages["lockKinds"]): string | null {
  const { kind, holders } = lock;
  const use = getPermitUse(lock);
  if (kind === "latch") return messages.latchClosed(formatNumber(holders[0]?.count ?? 0));
  if (use !== null) return messages.permitsAcquired(formatNumber(use.acquired), formatNumber(use.total));
  return kind === "read" && holders.length > 1
    ? messages.heldByReaders(holders.length, formatNumber(holders.length))
    : null;
}

function LivenessSentence({ lock, now, messages }: SentenceProps): ReactNode {
  const shared = useMessages(lockWords);
  const kinds = useMessages(lockKinds);
  const [holder] = lock.holders;
  const { liveness, state } = lock;
  if (lock.kind === "latch") return kinds.latchMeans;
  if (
    holder === undefined ||
    liveness === null ||
    state !== "held" ||
    parseReservedHold(holder.owner) !== null
  )
    return null;
  const ago = (at: number) => formatAgo(now - at, shared);
  const { lastRenewalAt, nextRenewalExpectedAt } = liveness;
  switch (liveness.state) {
    case "alive":
      return lastRenewalAt === null ? messages.renewsOnSchedule : messages.alive(ago(lastRenewalAt));
    case "overdue":
      return (
        <span className={isLivenessCritical(lock) ? "text-bad" : undefined}>
          {nextRenewalExpectedAt === null
            ? messages.overdueNoDetails
            : messages.overdue(
                ago(nextRenewalExpectedAt),
                lastRenewalAt === null ? null : ago(lastRenewalAt),
              )}
        </span>
      );
    case "not_renewing":
      return messages.notRenewing(formatRemaining(computeRemainingMs(lock, now) ?? 0, shared));
    case "no_ttl":
      return (
        <span className={isLivenessCritical(lock) ? "text-bad" : undefined}>{messages.neverExpires}</span>
      );
    case "unknown":
      return messages.watchedTooShort(
        formatElapsed(liveness.watchedMs + Math.max(0, now - lock.asOf), shared),
      );
  }
}

function RequestSentence({ lock: { holders } }: Pick<SentenceProps, "lock">): ReactNode {
  const { sentences } = useMessages(releaseRequest);
  const request = findLatestRequest(holders);
  return request && <span className="text-ink">{sentences[request.state]}</span>;
}

function WaitersSentence({
  lock: { waiters },
  messages,
}: Pick<SentenceProps, "lock" | "messages">): ReactNode {
  const text = formatWaiters(waiters, messages);
  return waiters.count ? <span className="font-medium text-warn">{text}</span> : text;
}

/** Describes the number of waiters. Returns "" if the number is unknown, which the waiters section explains. */
function formatWaiters({ count, known }: Waiters, messages: LockPageMessages): string {
  if (!count) return known === "exact" ? messages.noWaiters : "";
  return known === "exact" ? messages.wait(count) : messages.waitAtLeast(count);
}

/**
 * Makes screen readers announce changes to the holder and the liveness. Omits times, because they change every second.
 */
export function StateAnnouncement({ lock }: { lock: Lock | undefined }) {
  const messages = useMessages(lockPage);
  const shared = useMessages(lockWords);
  const [holder] = lock?.holders ?? [];
  return (
    <p role="status" className="sr-only">
      {lock === undefined
        ? ""
        : holder === undefined
          ? lock.unreadable === undefined
            ? messages.announcementNotHeld
            : messages.unreadable[lock.unreadable]
          : messages.announcement(holder.owner, shared.liveness[lock.liveness?.state ?? "unknown"])}
    </p>
  );
}
