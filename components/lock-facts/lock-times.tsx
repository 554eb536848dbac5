"use client";

import clsx from "clsx";
import { formatDate, formatElapsed, formatFence, formatRemaining } from "@/components/ui/format-duration.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { computeHeldTime, computeOwnRemainingMs, computeRemainingMs } from "./lock-texts.ts";

/** Shows the time until the lock expires. At 0, shows "expiring" until the server reports that the lock has expired. */
export function RemainingTime({ lock, endedAt = null }: { lock: Lock; endedAt?: number | null }) {
  const messages = useMessages(english);
  const now = useClock(endedAt);
  const left = computeRemainingMs(lock, now);
  if (lock.state === "ended") return <span className="text-ink-3">{messages.ended}</span>;
  if (left === null)
    return (
      <span className={lock.unlisted || lock.kind === "latch" ? "text-ink-3" : "text-bad"}>
        {messages.noTtl}
      </span>
    );
  if (left === 0) return <span className="text-ink-3">{messages.expiring}</span>;
  if (computeOwnRemainingMs(lock, now) === 0) {
    return (
      <span className="text-warn" title={messages.graceHint}>
        {formatRemaining(left, messages)}
      </span>
    );
  }
  return <>{formatRemaining(left, messages)}</>;
}

/**
 * Shows the remaining share of the lease as a bar. Screen readers skip the bar, because the remaining time is next to
 * it.
 */
export function LeaseBar({ lock, className }: { lock: Lock; className?: string }) {
  const now = useServerNow();
  const left = computeRemainingMs(lock, now);
  if (left === null || lock.leaseMs === null || lock.leaseMs <= 0) return null;
  const share = Math.min(1, left / lock.leaseMs);
  return (
    <span aria-hidden className={clsx("block h-1 overflow-hidden rounded-full bg-line-soft", className)}>
      <span
        className={clsx("block h-full origin-left rounded-full", getLeaseColor(lock, now))}
        style={{ transform: `scaleX(${share.toFixed(3)})` }}
      />
    </span>
  );
}

/**
 * Returns the class for the color of the lease bar. The color is different if the holder's lease has expired (during a
 * grace period) or its renewal is overdue.
 */
function getLeaseColor(lock: Lock, now: number | null): string {
  if (computeOwnRemainingMs(lock, now) === 0) return "bg-bad";
  return lock.liveness?.state === "overdue" ? "bg-warn" : "bg-bar";
}

/** Returns the time on the Redis clock in Unix milliseconds, at most `endedAt`; `null` if both are unknown. */
function useClock(endedAt: number | null): number | null {
  const now = useServerNow();
  if (endedAt === null) return now;
  return now === null ? endedAt : Math.min(now, endedAt);
}

/**
 * Shows how long a holder has held the lock.
 *
 * @param endedAt time at which the hold ended, in Unix milliseconds, after which the duration no longer increases;
 * `null` while held
 */
export function HeldFor({ holder, endedAt = null }: { holder: Holder | undefined; endedAt?: number | null }) {
  const messages = useMessages(english);
  const now = useClock(endedAt);
  if (holder === undefined) return null;
  const held = computeHeldTime(holder, now);
  if (held === null || holder.since === null) {
    return (
      <span className="text-ink-3" title={messages.sinceUnknown}>
        {messages.unknown}
      </span>
    );
  }
  const title = messages.sinceHints[holder.sinceIs](formatDate(holder.since));
  return (
    <span title={title}>
      {held.atLeast && <span className="text-ink-3">≥ </span>}
      {formatElapsed(held.ms, messages)}
    </span>
  );
}

export function FencingToken({ holder }: { holder: Holder | undefined }) {
  const messages = useMessages(english);
  if (holder === undefined) return null;
  if (holder.fence === null) {
    return (
      <span className="text-ink-3" title={messages.noFenceHint}>
        {messages.noFence}
      </span>
    );
  }
  return (
    <span className="font-mono text-xs" title={holder.fence}>
      {formatFence(holder.fence)}
    </span>
  );
}
