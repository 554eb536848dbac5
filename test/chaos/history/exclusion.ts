import type { Span } from "./analyzed-history.ts";
import type { Claim } from "./claims.ts";

/** Until when nobody else may have the lock: a reader never says so, and a writer until it asks to become a reader. */
function getExclusiveEnd({ kind, end, downgrade }: Claim): number {
  if (kind === "read") return Number.NEGATIVE_INFINITY;
  return Math.min(end, downgrade?.invoke ?? end);
}

/**
 * When two holds certainly stand together that must not: of a semaphore, two that have more permits together than there
 * are; of other locks, all but readers. Empty or undefined: never.
 */
export function findConflict(one: Claim, other: Claim): Span | undefined {
  const from = Math.max(one.ack, other.ack);
  const to = Math.min(one.end, other.end);
  if (one.kind === "semaphore")
    return one.permits + other.permits > one.limit && from < to ? { from, to } : undefined;
  const until = Math.min(to, Math.max(getExclusiveEnd(one), getExclusiveEnd(other)));
  return from < until ? { from, to: until } : undefined;
}

/** Whether a hold that was granted at that moment shows that the other one is lost. */
export function excludesHold(next: Claim, claim: Claim): boolean {
  if (claim.kind === "semaphore") return claim.permits + next.permits > claim.limit;
  return !isReader(claim, next.ack) || !isReader(next, next.ack);
}

const isReader = ({ kind, downgrade }: Claim, at: number) =>
  kind === "read" || (downgrade !== undefined && downgrade.invoke <= at);

export function isReadWrite({ kind }: Claim): boolean {
  return kind === "read" || kind === "write";
}

/** Whether holds of such a lock can stand together. */
export function isShared(claim: Claim): boolean {
  return isReadWrite(claim) || claim.kind === "semaphore";
}
