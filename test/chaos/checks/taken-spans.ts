import type { AnalyzedHistory, Span } from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import { isSemaphore, NS_PER_MS } from "../history/entry.ts";
import { Spans } from "../history/spans.ts";
import type { Wait } from "../history/waits.ts";
import { findLateLeases, isReleased } from "./late-leases.ts";

/** Time in milliseconds after its last attempt for which a waiting writer blocks new readers. */
const WRITER_SILENCE_MS = 5000;

/** A span in which the lock was held or could not be acquired. */
export interface TakenSpan extends Span {
  readonly claim?: Claim;
}

/** The spans in which a lock was not available to waiting readers and to other waiters. */
export interface TakenSpans {
  readonly forReaders: Spans<TakenSpan>;
  readonly forOthers: Spans<TakenSpan>;
}

/**
 * Lists the spans in which a lock was held or could not be acquired.
 *
 * @param claims all claims of the lock
 * @param waits all waits for the lock
 */
export function listTakenSpans(
  lock: string,
  claims: readonly Claim[],
  waits: readonly Wait[],
  history: AnalyzedHistory,
): TakenSpans {
  const late = findLateLeases(history, lock);
  const held = claims.map((claim) => ({ from: claim.sent, to: getFreeAt(claim), claim }));
  const most = waits.some(({ kind }) => isSemaphore(kind)) ? listShortages(held, waits) : held;
  const forOthers = new Spans<TakenSpan>([...most, ...late]);
  if (!waits.some(({ kind }) => kind === "read")) return { forReaders: forOthers, forOthers };
  const writing = held.flatMap(({ from, to, claim }) =>
    claim.kind === "write" ? [{ from, to: Math.min(to, claim.downgrade?.ack ?? to), claim }] : [],
  );
  // Readers wait for writers that queued before them. The order in which they queued is uncertain, so all waiting
  // writers count.
  const writers = waits
    .filter(({ kind }) => kind === "write")
    .map(({ from, to, ending }) => ({
      from,
      to: ending === "ok" ? to : to + WRITER_SILENCE_MS * NS_PER_MS,
    }));
  return { forReaders: new Spans<TakenSpan>([...writing, ...writers, ...late]), forOthers };
}

/** Returns the earliest time at which the hold was certainly removed from Redis. */
export function getFreeAt(claim: Claim): number {
  const endsAt = Math.max(claim.deadline, claim.ack);
  return isReleased(claim) ? (claim.release?.ack ?? endsAt) : endsAt;
}

/**
 * Lists the spans in which a semaphore may have had fewer permits available than the largest request, because the next
 * waiter may need that many.
 */
function listShortages(
  held: readonly (Span & { readonly claim: Claim })[],
  waits: readonly Wait[],
): TakenSpan[] {
  const most = Math.max(...waits.map(({ permits }) => permits));
  const changes = held.flatMap(({ from, to, claim }) => [
    { at: from, by: claim.permits, claim },
    { at: to, by: -claim.permits, claim },
  ]);
  const found: TakenSpan[] = [];
  let out = 0;
  let since: number | undefined;
  for (const { at, by, claim } of changes.toSorted((one, other) => one.at - other.at)) {
    out += by;
    const isShort = out > claim.limit - most;
    if (isShort) since ??= at;
    else if (since !== undefined) {
      found.push({ from: since, to: at });
      since = undefined;
    }
  }
  return since === undefined ? found : [...found, { from: since, to: Number.POSITIVE_INFINITY }];
}
