import { setTimeout as sleep } from "node:timers/promises";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import {
  AbortedError,
  type DeadlockError,
  type HeldError,
  WaitTimeoutError,
} from "../../errors/lock-errors.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { AbortSignalLike } from "./abort-signal-like.ts";
import { createDeadlockError } from "./deadlock-error.ts";
import type { DeadlockRefusals } from "./deadlock-refusals.ts";
import type { QueuePlace, Turn } from "./key-queue.ts";
import { type HeldOutcome, WaitCancellation, type WaitEndReason } from "./wait-stop.ts";
import type { EnqueueOptions, WaiterQueues } from "./waiter-queues.ts";

/**
 * Delay, in ms, before a waiter retries after a refused hand-over. The release may have been delayed, and a hand-over
 * wakes no other client.
 */
const HAND_OVER_RETRY_MS = 5;
/** Time, in ms, for which a waiter that cancelled or timed out can return to its place by repeating its request id. */
export const PLACE_RETENTION_MS = 5000;
const OUTAGE_RETRY_MS = 200;

export interface WaitOptions {
  readonly waitMs: number;
  readonly signal: AbortSignalLike | undefined;
  /** A request id chosen by the caller. A repeated request keeps its place. */
  readonly requestId: string | undefined;
  /** Options of `WaiterQueues.enqueue`. */
  readonly enqueueing?: EnqueueOptions;
  /** The id under which a deadlock refusal can end this wait; `undefined` if a deadlock cannot end it. */
  readonly refusableId?: string | undefined;
  /** When the caller began to wait, in Unix ms on the Redis clock; the time of the first attempt by default. */
  readonly sinceMs?: number | undefined;
  /**
   * Whether to keep waiting if Redis is unreachable during the first attempt. Set this option if the caller cannot
   * return without the lock.
   */
  readonly startsInOutage?: boolean | undefined;
}

/** The result of an attempt to acquire a lock: the grant in `done`, or the refusal. */
export type WaitAttemptResult<Reply> = { readonly done: Reply; readonly heldMs?: number } | HeldOutcome;

/** A grant that can be revoked if its caller has stopped waiting. */
export interface Revocable {
  revoke(): void;
}

/**
 * Makes one attempt to acquire the lock. `leftMs`: the remaining wait in ms. `sinceMs`: the start of the wait in Unix
 * ms; `undefined` if it is not known yet. `turn`: the reason for the attempt.
 */
export type WaitAttempt<Reply> = (
  leftMs: number,
  sinceMs: number | undefined,
  turn: Turn,
) => Promise<WaitAttemptResult<Reply>>;

/** Called when a wait ends without acquiring the lock. `ending` is `undefined` if an attempt failed. */
export type OnWaitEnd = (ending: WaitEndReason | undefined, sinceMs: number | undefined) => void;

/**
 * Runs waits for locks. The waiters for one key take turns to make attempts. A caller whose connection breaks can
 * return to its place by repeating its request id.
 */
export class WaitCoordinator {
  readonly #retainedPlaces = new Map<string, { sinceMs: number; timer: NodeJS.Timeout }>();
  readonly #runningWaits = new Map<string, WaitCancellation>();

  /**
   * @param refusals reports which waits must end because of a deadlock; if `undefined`, no wait ends for that reason
   */
  constructor(
    private readonly queues: WaiterQueues,
    private readonly refusals?: DeadlockRefusals,
  ) {}

  /**
   * Makes attempts until one returns `done`, or until the time limit passes, the signal aborts, a later request with
   * the same id takes over, or the wait is refused because of a deadlock. Between attempts, waits in the queue of the
   * lock that was most recently refused.
   *
   * @param key the lock to wait for, unless an attempt reports a different lock
   * @param onEnd called once if the wait ends without the lock, with the start of the wait and, unless an attempt
   * failed, the reason
   * @throws LockkeeperError timeout, deadlock, aborted; errors that an attempt throws
   */
  async run<Reply extends Revocable>(
    key: Key,
    options: WaitOptions,
    attempt: WaitAttempt<Reply>,
    onEnd: OnWaitEnd,
  ): Promise<Reply> {
    const { waitMs, signal, requestId, enqueueing, refusableId, startsInOutage = false } = options;
    const name = requestId === undefined ? undefined : `${requestId}\n${key}`;
    const deadline = performance.now() + waitMs;
    let sinceMs = this.#reclaimPlace(name) ?? options.sinceMs;
    const stop = new WaitCancellation(waitMs, signal);
    if (name !== undefined) this.#supersede(name, stop);
    const unregister =
      refusableId === undefined
        ? undefined
        : this.refusals?.register(refusableId, (cycle) => stop.refuse(cycle));
    let place: QueuePlace | undefined;
    let queuedKey = key;
    let heldMs: number | undefined;
    try {
      if (stop.ending !== undefined) throw stop;
      for (;;) {
        const turn: Turn = place === undefined ? "retry" : await place.awaitTurn(stop);
        const pending = attempt(computeRemainingMs(deadline), sinceMs, turn);
        const isFirst = place === undefined && !startsInOutage;
        const seen = await (isFirst ? pending : attemptThroughOutages(pending, stop));
        if (seen !== undefined && "done" in seen) {
          const acquired = requireStillWanted(seen.done, stop, signal);
          heldMs = seen.heldMs;
          return acquired;
        }
        if (seen !== undefined && (place === undefined || (seen.key ?? key) !== queuedKey)) {
          place?.leave();
          queuedKey = seen.key ?? key;
          sinceMs ??= seen.asOf;
          place = this.queues.enqueue(queuedKey, sinceMs, seen, enqueueing);
        } else if (seen === undefined && place === undefined) {
          await sleep(OUTAGE_RETRY_MS);
          if (stop.ending !== undefined) throw stop;
        } else if (seen === undefined) place?.sleepFor(OUTAGE_RETRY_MS);
        else if (turn === "handed_over") place?.sleepFor(HAND_OVER_RETRY_MS);
        else place?.sleepAfter(seen);
      }
    } catch (error) {
      onEnd(stop.ending, sinceMs);
      if (sinceMs !== undefined) this.#retainPlace(name, sinceMs, stop);
      throw error === stop ? toWaitError(stop, queuedKey, place?.refused?.toError(), signal) : error;
    } finally {
      place?.leave(heldMs);
      unregister?.();
      stop.dispose();
      if (name !== undefined && this.#runningWaits.get(name) === stop) this.#runningWaits.delete(name);
    }
  }

  #supersede(name: string, stop: WaitCancellation): void {
    this.#runningWaits.get(name)?.end("superseded");
    this.#runningWaits.set(name, stop);
  }

  /**
   * Keeps the place of a caller that cancelled or timed out, because the caller may repeat the request with the same
   * id.
   */
  #retainPlace(name: string | undefined, sinceMs: number, { ending }: WaitCancellation): void {
    if (name === undefined || ending === undefined || ending === "superseded" || ending === "deadlock")
      return;
    clearTimeout(this.#retainedPlaces.get(name)?.timer);
    const timer = setTimeout(() => this.#retainedPlaces.delete(name), PLACE_RETENTION_MS);
    timer.unref();
    this.#retainedPlaces.set(name, { sinceMs, timer });
  }

  #reclaimPlace(name: string | undefined): number | undefined {
    const kept = name === undefined ? undefined : this.#retainedPlaces.get(name);
    if (name === undefined || kept === undefined) return undefined;
    clearTimeout(kept.timer);
    this.#retainedPlaces.delete(name);
    return kept.sinceMs;
  }
}

function computeRemainingMs(deadline: number): number {
  return Math.max(1, Math.round(deadline - performance.now()));
}

/**
 * Makes an attempt. Returns `undefined` if Redis is unreachable, because a waiter continues until its own time limit.
 */
async function attemptThroughOutages<Reply>(
  attempt: Promise<WaitAttemptResult<Reply>>,
  stop: WaitCancellation,
): Promise<WaitAttemptResult<Reply> | undefined> {
  try {
    return await attempt;
  } catch (error) {
    const isAway = error instanceof UnavailableError || error instanceof UnknownOutcomeError;
    if (!isAway || stop.ending !== undefined) throw error;
    return undefined;
  }
}

/** Revokes a grant if its caller has stopped waiting, unless a later request with the same id has taken over. */
function requireStillWanted<Reply extends Revocable>(
  acquired: Reply,
  { ending }: WaitCancellation,
  signal: AbortSignalLike | undefined,
): Reply {
  if (ending === undefined || ending === "timed_out" || ending === "deadlock") return acquired;
  if (ending === "given_up") acquired.revoke();
  throw createAbortedError(signal);
}

function toWaitError(
  { ending, deadlock = [] }: WaitCancellation,
  key: Key,
  refusal: HeldError | undefined,
  signal: AbortSignalLike | undefined,
): WaitTimeoutError | DeadlockError | AbortedError {
  if (ending === "deadlock") return createDeadlockError(toKeyFields(key), deadlock);
  if (ending === "timed_out" && refusal !== undefined) {
    return new WaitTimeoutError(`The wait is over. ${refusal.message}`, refusal.facts);
  }
  return createAbortedError(signal);
}

/**
 * Creates the error for a cancelled wait. Its cause is the abort reason of the caller's signal, if the signal aborted.
 */
export function createAbortedError(signal: AbortSignalLike | undefined): AbortedError {
  const options = signal instanceof AbortSignal && signal.aborted ? { cause: signal.reason } : undefined;
  return new AbortedError("The wait was cancelled. Nothing is held.", options);
}
