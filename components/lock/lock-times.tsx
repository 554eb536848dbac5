"use client";

import clsx from "clsx";
import { formatDate, formatElapsed, formatFence, formatRemaining } from "@/components/ui/duration.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { heldAt, ownRemainingAt, remainingAt } from "./lock-facts.ts";

/** What is left as text. At its end only the server knows whether the lock is gone. */
export function Remaining({ lock }: { lock: Lock }) {
  const now = useServerNow();
  const left = remainingAt(lock, now);
  if (lock.state === "ended") return <span className="text-ink-3">ended, free to take</span>;
  if (left === null) return <span className="text-bad">no expiry</span>;
  if (left === 0) return <span className="text-ink-3">expiring…</span>;
  if (ownRemainingAt(lock, now) === 0) {
    return (
      <span className="text-warn" title="Its holder's lease is over; the grace keeps the lock taken">
        {formatRemaining(left)}
      </span>
    );
  }
  return <>{formatRemaining(left)}</>;
}

/** The lease as a thin bar. Decoration: the figure stands beside it. */
export function LeaseBar({ lock, className }: { lock: Lock; className?: string }) {
  const left = remainingAt(lock, useServerNow());
  if (left === null || lock.leaseMs === null || lock.leaseMs <= 0) return null;
  const share = Math.min(1, left / lock.leaseMs);
  return (
    <span aria-hidden className={clsx("block h-1 overflow-hidden rounded-full bg-line-soft", className)}>
      <span
        className="block h-full origin-left rounded-full bg-bar"
        style={{ transform: `scaleX(${share.toFixed(3)})` }}
      />
    </span>
  );
}

export function HeldFor({ holder }: { holder: Holder | undefined }) {
  const now = useServerNow();
  if (holder === undefined) return null;
  const held = heldAt(holder, now);
  if (held === null || holder.since === null) {
    return (
      <span className="text-ink-3" title="It is not known when this hold began">
        unknown
      </span>
    );
  }
  const title = {
    at_least: `Held already when first seen, ${formatDate(holder.since)}`,
    told: `Its owner string tells, by its client's clock: ${formatDate(holder.since)}`,
    exact: `Since ${formatDate(holder.since)}`,
  }[holder.sinceIs];
  return (
    <span title={title}>
      {held.atLeast && <span className="text-ink-3">≥ </span>}
      {formatElapsed(held.ms)}
    </span>
  );
}

export function Fence({ holder }: { holder: Holder | undefined }) {
  if (holder === undefined) return null;
  if (holder.fence === null) {
    return (
      <span className="text-ink-3" title="Taken without Lockkeeper: this hold has no fencing token">
        none
      </span>
    );
  }
  return (
    <span className="font-mono text-xs" title={holder.fence}>
      {formatFence(holder.fence)}
    </span>
  );
}
