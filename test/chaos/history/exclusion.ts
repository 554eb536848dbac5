import type { Span } from "./analyzed-history.ts";
import type { Claim } from "./claims.ts";
import { isSemaphore } from "./entry.ts";

/**
 * Returns the time until which a hold excludes all other holds. A reader never excludes all others, and a writer does
 * until it requests a downgrade.
 */
function getExclusiveEnd({ kind, end, downgrade }: Claim): number {
  if (kind === "read") return Number.NEGATIVE_INFINITY;
  return Math.min(end, downgrade?.invoke ?? end);
}

/**
 * Returns the span in which two holds that exclude each other certainly exist at the same time, or `undefined` if there
 * is none. Holds of a semaphore exclude each other if their permits exceed its limit. Holds of other locks exclude each
 * other unless both are readers.
 */
export function findConflict(one: Claim, other: Claim): Span | undefined {
  const from = Math.max(one.ack, other.ack);
  const to = Math.min(one.end, other.end);
  if (isSemaphore(one.kind))
    return one.permits + other.permits > one.limit && from < to ? { from, to } : undefined;
  const until = Math.min(to, Math.max(getExclusiveEnd(one), getExclusiveEnd(other)));
  return from < until ? { from, to: until } : undefined;
}

/** Returns whether the grant of `next` proves that the hold of `claim` was lost. */
export function excludesHold(next: Claim, claim: Claim): boolean {
  if (isSemaphore(claim.kind)) return claim.permits + next.permits > claim.limit;
  return !isReader(claim, next.ack) || !isReader(next, next.ack);
}

const isReader = ({ kind, downgrade }: Claim, at: number) =>
  kind === "read" || (downgrade !== undefined && downgrade.invoke <= at);

export function isReadWrite({ kind }: Claim): boolean {
  return kind === "read" || kind === "write";
}

/** Returns whether a lock of this kind can have several holds at the same time. */
export function isShared(claim: Claim): boolean {
  return isReadWrite(claim) || isSemaphore(claim.kind);
}
