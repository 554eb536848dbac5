import type { Key } from "../../../lib/keys/key.ts";
import { AbortedError, type HeldError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { QueuePlace, Turn } from "./key-queue.ts";
import type { AbortSignalLike } from "./verbs.ts";
import { type HeldOutcome, WaitCancellation, type WaitEndReason } from "./wait-stop.ts";
import type { WaiterQueues } from "./waiter-queues.ts";

/** After a refused hand-over the waiter tries again: the release may have been delayed, and it woke nobody. */
const HAND_OVER_RETRY_MS = 5;
/** For how long one who gave up may come back to its place with the same request id. */
export const PLACE_RETENTION_MS = 5000;
const OUTAGE_RETRY_MS = 200;

export interface WaitOptions {
  readonly waitMs: number;
  readonly signal: AbortSignalLike | undefined;
  /** The caller's own id; the one who repeats it keeps its place. */
  readonly requestId: string | undefined;
}

/** What a look at a lock shows to one who waits for it. */
export type WaitAttemptResult<Reply> = { readonly done: Reply; readonly heldMs?: number } | HeldOutcome;

/** What was taken, and what to do when nobody wants it any more. */
export interface Revocable {
  revoke(): void;
}

/** One look: `leftMs` of the wait, since when it lasts (undefined at the first), and what led to it. */
export type WaitAttempt<Reply> = (
  leftMs: number,
  sinceMs: number | undefined,
  turn: Turn,
) => Promise<WaitAttemptResult<Reply>>;

/** Told of the end of a wait without the lock. */
export type OnWaitEnd = (ending: WaitEndReason | undefined, sinceMs: number | undefined) => void;

/** Waits for locks, one at a time and key, with places that outlive a broken connection of the caller. */
export class WaitCoordinator {
  readonly #retainedPlaces = new Map<string, { sinceMs: number; timer: NodeJS.Timeout }>();
  readonly #runningWaits = new Map<string, WaitCancellation>();

  constructor(private readonly queues: WaiterQueues) {}

  /**
   * Looks until a look is done, the time is over or the signal ends.
   *
   * @param onEnd called once when it ends without the lock: why, unless a look failed, and since when it waited, if it
   *   did
   * @throws LockkeeperError timeout, aborted, and what a look throws
   */
  async run<Reply extends Revocable>(
    key: Key,
    options: WaitOptions,
    attempt: WaitAttempt<Reply>,
    onEnd: OnWaitEnd,
  ): Promise<Reply> {
    const { waitMs, signal, requestId } = options;
    const name = requestId === undefined ? undefined : `${requestId}\n${key}`;
    const deadline = performance.now() + waitMs;
    let sinceMs = this.#reclaimPlace(name);
    const stop = new WaitCancellation(waitMs, signal);
    if (name !== undefined) this.#supersede(name, stop);
    let place: QueuePlace | undefined;
    let heldMs: number | undefined;
    try {
      for (;;) {
        const turn: Turn = place === undefined ? "look" : await place.awaitTurn(stop);
        const looked = attempt(computeRemainingMs(deadline), sinceMs, turn);
        const seen = await (place === undefined ? looked : attemptThroughOutages(looked, stop));
        if (seen !== undefined && "done" in seen) {
          const acquired = requireStillWanted(seen.done, stop, signal);
          heldMs = seen.heldMs;
          return acquired;
        }
        if (place === undefined && seen !== undefined) {
          sinceMs ??= seen.asOf;
          place = this.queues.enqueue(key, sinceMs, seen);
        } else if (seen === undefined) place?.sleepFor(OUTAGE_RETRY_MS);
        else if (turn === "handed_over") place?.sleepFor(HAND_OVER_RETRY_MS);
        else place?.sleepAfter(seen);
      }
    } catch (error) {
      onEnd(stop.ending, sinceMs);
      if (sinceMs !== undefined) this.#retainPlace(name, sinceMs, stop);
      throw error === stop ? toWaitError(stop, place?.refused?.toError(), signal) : error;
    } finally {
      place?.leave(heldMs);
      stop.dispose();
      if (name !== undefined && this.#runningWaits.get(name) === stop) this.#runningWaits.delete(name);
    }
  }

  #supersede(name: string, stop: WaitCancellation): void {
    this.#runningWaits.get(name)?.end("superseded");
    this.#runningWaits.set(name, stop);
  }

  /** Whoever gave up, or was timed out, may come back. */
  #retainPlace(name: string | undefined, sinceMs: number, { ending }: WaitCancellation): void {
    if (name === undefined || ending === undefined || ending === "superseded") return;
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

/** undefined while Redis is away: whoever waits outlasts that, as long as its time is not over. */
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

/** A grant that arrives after its caller has gone is given back; one after a later request of the same id is that one's. */
function requireStillWanted<Reply extends Revocable>(
  acquired: Reply,
  { ending }: WaitCancellation,
  signal: AbortSignalLike | undefined,
): Reply {
  if (ending === undefined || ending === "timed_out") return acquired;
  if (ending === "given_up") acquired.revoke();
  throw createAbortedError(signal);
}

function toWaitError(
  { ending }: WaitCancellation,
  refusal: HeldError | undefined,
  signal: AbortSignalLike | undefined,
): WaitTimeoutError | AbortedError {
  if (ending === "timed_out" && refusal !== undefined) {
    return new WaitTimeoutError(`The wait is over. ${refusal.message}`, refusal.facts);
  }
  return createAbortedError(signal);
}

/** Carries the reason that the caller's signal ended with. */
export function createAbortedError(signal: AbortSignalLike | undefined): AbortedError {
  const options = signal instanceof AbortSignal && signal.aborted ? { cause: signal.reason } : undefined;
  return new AbortedError("The wait was cancelled. Nothing is held.", options);
}
