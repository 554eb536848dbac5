import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/keys/key.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { computeMajority, groupLargestFirst } from "../../redis/majority.ts";
import type { AbortSignalLike } from "../waiting/abort-signal-like.ts";
import { collectVotes } from "./agreement.ts";
import { collectReplies, type MasterResults } from "./poll-masters.ts";
import type { QuorumAttempt, QuorumAttemptOutcome, QuorumGrant } from "./quorum-attempt.ts";
import {
  createMaybeExecutedError,
  createQuorumRefusalError,
  hasTooFewReplies,
  isRequestWithdrawn,
  isVoteSplit,
} from "./quorum-errors.ts";
import { computeSplitPauseMs } from "./time-limits.ts";

export interface RetryLimits {
  /** Returns how long the request will wait if it is refused, in ms; `undefined` if it will not wait. */
  readonly waitMs: (() => number) | undefined;
  /** How long to retry after split votes, or after grants that could not be confirmed in time, in ms. */
  readonly splitRetryMs: number;
  /** How long to retry while too few masters reply, in ms. */
  readonly outageRetryMs: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Called before each attempt. */
  readonly onSend: (() => void) | undefined;
}

/**
 * Attempts to acquire a lock until the lock is granted, another client holds it, a retry limit is reached or the signal
 * aborts. Returns the outcome of the last attempt.
 */
export async function retryAttempt(
  attempt: QuorumAttempt,
  patience: RetryLimits,
): Promise<QuorumAttemptOutcome> {
  const begunAt = performance.now();
  for (let tried = 0; ; ) {
    patience.onSend?.();
    const sentAt = performance.now();
    const outcome = await attempt.run(patience.waitMs?.());
    if (outcome.outcome === "elected") return outcome;
    // The next attempt of a repeated request skips ids that were withdrawn.
    if (isRequestWithdrawn(outcome.results)) continue;
    const pauseMs = computeSplitPauseMs(tried, performance.now() - sentAt);
    const spentMs = performance.now() - begunAt + pauseMs;
    if (patience.signal?.aborted || spentMs >= computeRetryLimitMs(outcome, patience, tried)) return outcome;
    tried++;
    await sleep(pauseMs);
  }
}

/** Returns the limit on retries after this outcome, in ms since the first attempt. */
function computeRetryLimitMs(
  { outcome, results }: Exclude<QuorumAttemptOutcome, QuorumGrant>,
  patience: RetryLimits,
  tried: number,
): number {
  if (hasTooFewReplies(results)) return patience.outageRetryMs;
  // The attempt waited too long for a master that voted and disconnected before the agreement. The next attempt does
  // not wait for this master.
  if (outcome === "too_late") return tried === 0 ? Number.POSITIVE_INFINITY : patience.splitRetryMs;
  return isVoteSplit(results) ? patience.splitRetryMs : 0;
}

/**
 * Creates the error for a failed attempt. The outcome is reported as unknown if the hold may exist and the caller chose
 * the request id.
 */
export function toAttemptError(
  key: Key,
  request: AcquireRequest,
  attempt: QuorumAttempt,
  { outcome, results }: Exclude<QuorumAttemptOutcome, QuorumGrant>,
): LockkeeperError {
  const states = [...results.values()];
  const granted = collectVotes(results);
  const unknown = states.filter(({ state }) => state === "unknown" || state === "late");
  // If no caller can repeat the request, votes with an unknown outcome have been withdrawn.
  const mayBeHeld = granted.length + unknown.length >= computeMajority(results.size) && unknown.length > 0;
  if ((mayBeHeld || mayStand(results)) && attempt.idSource === "by_caller")
    return createMaybeExecutedError(results);
  if (outcome === "too_late") {
    return new UnavailableError(
      "A majority of the masters granted this, but too late for the lease. All votes were released; nothing is held.",
    );
  }
  return createQuorumRefusalError(key, request, results);
}

/** Whether the hold may exist: the masters that granted it earlier and those that did not reply may form a majority. */
function mayStand(results: MasterResults<AcquireReply>): boolean {
  const repeated = collectVotes(results).filter(({ reply }) => reply.how === "repeated");
  const most = groupLargestFirst(repeated, ({ reply }) => reply.token)[0]?.length ?? 0;
  const silent = results.size - collectReplies(results).length;
  return most > 0 && most + silent >= computeMajority(results.size);
}
