import { RetryIntervals } from "./retry-intervals.ts";
import type { HeldOutcome, WaitCancellation } from "./wait-stop.ts";

/**
 * Maximum interval between two attempts by the head of a queue, in ms. Messages may be lost, and some changes cause no
 * message.
 */
const RETRY_INTERVAL_MS = 2000;
const JITTER = 0.2;
/**
 * Time, in ms, for which one process can hand a lock over to its own waiters before waiters of other processes get a
 * chance. A hand-over saves a round trip and the wake-up of every other process. This matters only for holds of a few
 * ms.
 */
export const LOCAL_HAND_OVERS_MS = 10;

/**
 * The reason why a waiter can make an attempt. `handed_over`: this process released its own hold and sends this
 * waiter's attempt together with the release. `retry`: any other reason.
 */
export type Turn = "retry" | "handed_over";

/**
 * A place in this process's queue for one key. Only the first waiter in the queue sends requests to Redis. Exception:
 * after a read lock was granted, all waiting readers send a request.
 */
export interface QueuePlace {
  /**
   * Resolves when this waiter can make an attempt: it is first in the queue, and was woken or its timer fired. Rejects
   * with `stop` if the wait ends before that.
   */
  awaitTurn(stop: WaitCancellation): Promise<Turn>;
  /** The result of the last attempt in the queue. All waiters share it, because there may be thousands of them. */
  readonly refused: HeldOutcome | undefined;
  /**
   * Schedules the next attempt after one that returned `seen`: when the lease ends, a message arrives or the retry
   * interval has passed, whichever comes first.
   */
  sleepAfter(seen: HeldOutcome): void;
  /** Schedules the next attempt without the result of the last one: after `ms`, or earlier if a message arrives. */
  sleepFor(ms: number): void;
  /**
   * Leaves the queue.
   *
   * @param heldMs the remaining lease of the acquired lock, in ms; `undefined` if no lock was acquired or the lease is
   *   unknown
   */
  leave(heldMs?: number): void;
}

/**
 * The state of a subscription to keyspace notifications. `unconfirmed`: no notification has arrived, so they may be
 * disabled. `confirmed`: a notification has arrived, so the next release will be reported. `refused`: the Redis user is
 * not allowed to subscribe, and this connection does not try again.
 */
export type KeyspaceState = "unconfirmed" | "confirmed" | "refused";

/** A waiter, as a single object without closures, because there may be thousands of waiters. */
class Waiter implements QueuePlace {
  /** Cancels the pending `awaitTurn`. Set, like both callbacks, only while the waiter waits for its turn. */
  #stop: WaitCancellation | undefined;
  #resolve: ((turn: Turn) => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(
    private readonly queue: KeyQueue,
    readonly since: number,
    readonly acceptsHandOver: boolean,
  ) {}

  awaitTurn(stop: WaitCancellation): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (stop.ending !== undefined) return reject(stop);
      this.#stop = stop;
      this.#resolve = resolve;
      this.#reject = reject;
      stop.onEnding = this;
      this.wake();
    });
  }

  get isWaiting(): boolean {
    return this.#stop !== undefined;
  }

  wake(): void {
    if (this.#stop !== undefined && this.queue.tryStartAttempt(this)) this.startTurn("retry");
  }

  startTurn(turn: Turn): void {
    const resolve = this.#resolve;
    this.#settle();
    resolve?.(turn);
  }

  stopped(): void {
    const [stop, reject] = [this.#stop, this.#reject];
    this.#settle();
    reject?.(stop);
  }

  get refused(): HeldOutcome | undefined {
    return this.queue.refused;
  }

  sleepAfter(seen: HeldOutcome): void {
    this.queue.sleepAfter(seen);
  }

  sleepFor(ms: number): void {
    this.queue.sleepUntil(ms);
  }

  leave(heldMs?: number): void {
    this.queue.leave(this, heldMs);
  }

  #settle(): void {
    if (this.#stop !== undefined) this.#stop.onEnding = undefined;
    this.#stop = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
  }
}

export interface QueueChannels {
  readonly names: readonly string[];
  readonly wake: Buffer;
  readonly keyspace: Buffer | undefined;
}

/** The waiters for one key in this process. */
export class KeyQueue {
  refused: HeldOutcome | undefined;
  readonly #waiters: Waiter[] = [];
  readonly #retries = new RetryIntervals();
  #isAttemptDue = false;
  #isWakeScheduled = false;
  #isWakePending = false;
  #attempting: Waiter | undefined;
  #timer: NodeJS.Timeout | undefined;
  /**
   * Time (`performance.now()`) at which this process last acquired the lock other than by a hand-over. Hand-overs stop
   * some time later, so that other clients can acquire the lock.
   */
  #firstHoldAt = Number.NEGATIVE_INFINITY;
  #turn: Turn = "retry";

  constructor(
    readonly channels: QueueChannels,
    private readonly getKeyspaceState: () => KeyspaceState,
    private readonly onEmpty: (queue: KeyQueue) => void,
    /**
     * Whether the waiters can hold the lock at the same time. If so, all other waiters make an attempt after a grant.
     */
    readonly isShared = false,
  ) {}

  wake(): void {
    this.#isAttemptDue = true;
    clearTimeout(this.#timer);
    this.#waiters[0]?.wake();
  }

  /** Starts an attempt for each waiter that is waiting for its turn. */
  #wakeAll(): void {
    this.#attempting = undefined;
    clearTimeout(this.#timer);
    this.#turn = "retry";
    for (const waiter of [...this.#waiters]) if (waiter.isWaiting) waiter.startTurn("retry");
  }

  /** Wakes the queue once for all messages that arrive together. One release causes several messages. */
  wakeSoon(): void {
    this.#isWakePending = true;
    if (this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    queueMicrotask(() => {
      this.#isWakeScheduled = false;
      if (this.#isWakePending && this.#waiters.length > 0) this.wake();
    });
  }

  /** Cancels a pending wake-up, because a later message reports that the lock is held again. */
  cancelWake(): void {
    this.#isWakePending = false;
  }

  /**
   * Prepares to hand over one of this process's holds to the next waiter in this queue. Returns a function to call once
   * the release has been sent. That function starts the turn of the waiter, whose acquire then follows the release on
   * the connection. Returns `undefined` if no waiter is ready, if the next waiter needs other locks as well, or if
   * waiters of other processes must get a chance.
   */
  prepareHandOver(): (() => void) | undefined {
    const [next] = this.#waiters;
    if (next === undefined || !next.isWaiting || !next.acceptsHandOver) return undefined;
    if (performance.now() - this.#firstHoldAt >= LOCAL_HAND_OVERS_MS) return undefined;
    return () => {
      clearTimeout(this.#timer);
      this.#attempting = next;
      this.#turn = "handed_over";
      next.startTurn("handed_over");
    };
  }

  enqueue(since: number, acceptsHandOver: boolean): QueuePlace {
    const waiter = new Waiter(this, since, acceptsHandOver);
    const before = this.#waiters.findIndex((other) => other.since > since);
    this.#waiters.splice(before < 0 ? this.#waiters.length : before, 0, waiter);
    return waiter;
  }

  /**
   * Starts an attempt for this waiter if an attempt is due and the waiter is first in the queue. Returns whether the
   * attempt started.
   */
  tryStartAttempt(waiter: Waiter): boolean {
    if (!this.#isAttemptDue || this.#waiters[0] !== waiter) return false;
    this.#isAttemptDue = false;
    this.#attempting = waiter;
    this.#turn = "retry";
    return true;
  }

  sleepAfter(seen: HeldOutcome): void {
    this.recordAttempt(seen);
    this.sleepUntil(seen.heldMs);
  }

  recordAttempt(seen: HeldOutcome): void {
    if (seen.holder !== undefined) this.#retries.recordAttempt(seen.holder);
    this.refused = seen;
  }

  sleepUntil(remainingMs: number | null): void {
    this.#attempting = undefined;
    if (this.#isAttemptDue) return;
    const soonMs = this.getKeyspaceState() === "confirmed" ? undefined : this.#retries.takeNext();
    const capMs = (soonMs ?? RETRY_INTERVAL_MS) * (1 - JITTER * Math.random());
    // At least 1 ms longer than the lease, so that the lease has ended when the waiter tries.
    const waitMs = Math.min(capMs, (remainingMs ?? Number.POSITIVE_INFINITY) + 1 + Math.random());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), waitMs);
  }

  leave(waiter: Waiter, heldMs: number | undefined): void {
    if (heldMs !== undefined && this.#turn === "retry") this.#firstHoldAt = performance.now();
    const at = this.#waiters.indexOf(waiter);
    if (at >= 0) this.#waiters.splice(at, 1);
    const [next] = this.#waiters;
    if (next === undefined) {
      clearTimeout(this.#timer);
      this.onEmpty(this);
    } else if (at === 0 || this.#attempting === waiter) {
      const isTaken = heldMs !== undefined && !this.#isAttemptDue;
      // After the waiter acquired an exclusive lock, the other waiters have no reason to try. In all other cases, the
      // waiter may have consumed a wake-up that the next waiter needs.
      if (heldMs !== undefined && this.isShared) this.#wakeAll();
      else if (isTaken) this.sleepUntil(heldMs);
      else this.wake();
    }
  }
}
