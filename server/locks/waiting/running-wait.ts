import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldError } from "../../errors/lock-errors.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { QueuePlace, Turn } from "./key-queue.ts";
import type { HeldOutcome, WaitCancellation } from "./wait-stop.ts";
import type { EnqueueOptions, WaiterQueues } from "./waiter-queues.ts";

/**
 * Delay, in ms, before a waiter retries after a refused hand-over. The release may have been delayed, and a hand-over
 * wakes no other client.
 */
const HAND_OVER_RETRY_MS = 5;
const OUTAGE_RETRY_MS = 200;

export interface RunningWaitOptions {
  readonly waitMs: number;
  /** Options of `WaiterQueues.enqueue`. */
  readonly enqueueing?: EnqueueOptions;
  /**
   * Whether to keep waiting if Redis is unreachable during the first attempt. Set this option if the caller cannot
   * return without the lock.
   */
  readonly startsInOutage?: boolean | undefined;
}

/** A successful attempt. `heldMs` is the remaining lease in ms; `undefined` if it does not matter to other waiters. */
export interface GrantedAttempt<Reply> {
  readonly done: Reply;
  readonly heldMs?: number;
}

/** The result of an attempt to acquire a lock: the grant in `done`, or the refusal. */
export type WaitAttemptResult<Reply> = GrantedAttempt<Reply> | HeldOutcome;

/**
 * Makes one attempt to acquire the lock. `leftMs`: the remaining wait in ms. `sinceMs`: the start of the wait in Unix
 * ms; `undefined` if it is not known yet. `turn`: the reason for the attempt.
 */
export type WaitAttempt<Reply> = (
  leftMs: number,
  sinceMs: number | undefined,
  turn: Turn,
) => Promise<WaitAttemptResult<Reply>>;

/** A wait in progress: its attempts, and its place in the queue of the lock that was most recently refused. */
export class RunningWait<Reply> {
  /** The key of the lock that was most recently refused; initially the first key that is attempted. */
  queuedKey: Key;
  #place: QueuePlace | undefined;
  readonly #deadline: number;
  readonly #startsInOutage: boolean;
  readonly #enqueueing: EnqueueOptions | undefined;

  constructor(
    private readonly queues: WaiterQueues,
    private readonly key: Key,
    private readonly stop: WaitCancellation,
    private readonly attempt: WaitAttempt<Reply>,
    public sinceMs: number | undefined,
    { waitMs, enqueueing, startsInOutage = false }: RunningWaitOptions,
  ) {
    this.queuedKey = key;
    this.#deadline = performance.now() + waitMs;
    this.#enqueueing = enqueueing;
    this.#startsInOutage = startsInOutage;
  }

  get refusal(): HeldError | undefined {
    return this.#place?.refused?.toError();
  }

  /** Returns `undefined` if the next attempt need not wait, because no attempt has been refused yet. */
  awaitTurn(): Promise<Turn> | undefined {
    return this.#place?.awaitTurn(this.stop);
  }

  /**
   * Makes an attempt, and schedules the next one if it is refused. This is a separate method, because the suspended
   * frame of `WaitCoordinator.run` would keep the refusal in memory.
   *
   * @returns the grant, or `undefined` if the attempt was refused
   */
  async makeAttempt(turn: Turn): Promise<GrantedAttempt<Reply> | undefined> {
    const pending = this.attempt(computeRemainingMs(this.#deadline), this.sinceMs, turn);
    const isFirst = this.#place === undefined && !this.#startsInOutage;
    const seen = await (isFirst ? pending : attemptThroughOutages(pending, this.stop));
    if (seen !== undefined && "done" in seen) return seen;
    if (seen === undefined) await this.#sleepInOutage();
    else this.#sleepAfter(seen, turn);
    return undefined;
  }

  leave(heldMs: number | undefined): void {
    this.#place?.leave(heldMs);
  }

  async #sleepInOutage(): Promise<void> {
    if (this.#place !== undefined) return this.#place.sleepFor(OUTAGE_RETRY_MS);
    await sleep(OUTAGE_RETRY_MS);
    if (this.stop.ending !== undefined) throw this.stop;
  }

  #sleepAfter(seen: HeldOutcome, turn: Turn): void {
    const refusedKey = seen.key ?? this.key;
    if (this.#place === undefined || refusedKey !== this.queuedKey) {
      this.#place?.leave();
      this.queuedKey = refusedKey;
      this.sinceMs ??= seen.asOf;
      this.#place = this.queues.enqueue(refusedKey, this.sinceMs, seen, this.#enqueueing);
    } else if (turn === "handed_over") this.#place.sleepFor(HAND_OVER_RETRY_MS);
    else this.#place.sleepAfter(seen);
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
    const isUnreachable = error instanceof UnavailableError || error instanceof UnknownOutcomeError;
    if (!isUnreachable || stop.ending !== undefined) throw error;
    return undefined;
  }
}
