import type { Span } from "./analyzed-history.ts";
import type { Claim } from "./claims.ts";
import { isSemaphore } from "./entry.ts";

/**
 * Returns until when the hold excludes all others: a reader never does, and a writer does until it requests a
 * downgrade.
 */
function getExclusiveEnd({ kind, end, downgrade }: Claim): number {
  if (kind === "read") return Number.NEGATIVE_INFINITY;
  return Math.min(end, downgrade?.invoke ?? end);
}

/**
 * Returns when two holds that exclude each other certainly exist at the same time. Holds of a semaphore exclude each
 * other if together they have more permits than it has; of other locks, all except readers do. Empty or undefined if
 * this never happens.
 */
export function findConflict(one: Claim, other: Claim): Span | undefined {
  const from = Math.max(one.ack, other.ack);
  const to = Math.min(one.end, other.end);
  if (isSemaphore(one.kind))
    return one.permits + other.permits > one.limit && from < to ? { from, to } : undefined;
  const until = Math.min(to, Math.max(getExclusiveEnd(one), getExclusiveEnd(other)));
  return from < until ? { from, to: until } : undefined;
}

/** Whether the grant of the later hold shows that the other one is lost. */
export function excludesHold(next: Claim, claim: Claim): boolean {
  if (isSemaphore(claim.kind)) return claim.permits + next.permits > claim.limit;
  return !isReader(claim, next.ack) || !isReader(next, next.ack);
}

const isReader = ({ kind, downgrade }: Claim, at: number) =>
  kind === "read" || (downgrade !== undefined && downgrade.invoke <= at);

export function isReadWrite({ kind }: Claim): boolean {
  return kind === "read" || kind === "write";
}

/** Whether holds of this kind can exist at the same time. */
export function isShared(claim: Claim): boolean {
  return isReadWrite(claim) || isSemaphore(claim.kind);
}
