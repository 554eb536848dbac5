import type { Key } from "../../../lib/keys/key.ts";
import { buildWakeChannel } from "../../formats/keys.ts";
import type { Subscriber } from "../../redis/commands.ts";
import type { HeldOutcome, WaitCancellation } from "./wait-stop.ts";

/** Nobody is told of an expiry, and a message may be lost: whoever is first looks again after this at the latest. */
const RETRY_INTERVAL_MS = 2000;
const JITTER = 0.2;

/** A place in the queue of one key in this process. Only the first of them talks to Redis. */
export interface QueuePlace {
  /**
   * Resolves when it is this one's turn to look: first in the queue, and woken or tired of waiting. Rejects with the
   * stop when that ends first.
   */
  awaitTurn(stop: WaitCancellation): Promise<void>;
  /** What the last look of anyone in the queue showed: one for all, since thousands may wait. */
  refused: HeldOutcome | undefined;
  /** What the last look showed: the lock is held for this long, or without end. */
  sleepUntil(remainingMs: number | null): void;
  /** @param heldMs it took the lock, for so long */
  leave(heldMs?: number): void;
}

/**
 * Where those wait whose lock is held. All of one key and process share one subscription and one waiter in
 * Redis: a release wakes one of them, not all.
 *
 * A queue is looked after in the order: subscribe, look again, sleep. So a release between the first look and
 * the subscription is not missed.
 */
export class WaiterQueues {
  readonly #queues = new Map<string, KeyQueue>();

  constructor(private readonly subscriber: Subscriber) {
    subscriber.on("messageBuffer", (channel: Buffer) => this.#queues.get(channel.toString("latin1"))?.wake());
    // What was published while the subscription was broken is lost, so everyone who is first looks again.
    subscriber.on("ready", () => {
      for (const queue of this.#queues.values()) queue.subscribe();
    });
  }

  /** @param since orders those who wait: one who comes back keeps its place */
  enqueue(key: Key, since: number): QueuePlace {
    const channel = toChannel(key);
    const id = channel.toString("latin1");
    let queue = this.#queues.get(id);
    if (queue === undefined) {
      queue = new KeyQueue(this.subscriber, channel, () => this.#queues.delete(id));
      this.#queues.set(id, queue);
    }
    return queue.enqueue(since);
  }
}

function toChannel(key: Key): Buffer {
  const name = buildWakeChannel(key);
  return Buffer.isBuffer(name) ? name : Buffer.from(String(name));
}

/** One object for all that it is, without a function of its own: thousands may wait. */
class Waiter implements QueuePlace {
  /** Of the turn that is waited for. */
  #stop: WaitCancellation | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(
    private readonly queue: KeyQueue,
    readonly since: number,
  ) {}

  awaitTurn(stop: WaitCancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      if (stop.ending !== undefined) return reject(stop);
      this.#stop = stop;
      this.#resolve = resolve;
      this.#reject = reject;
      stop.onEnding = this;
      this.wake();
    });
  }

  wake(): void {
    if (this.#stop !== undefined && this.queue.tryStartAttempt(this)) this.#settle(this.#resolve);
  }

  stopped(): void {
    this.#settle(this.#reject);
  }

  get refused(): HeldOutcome | undefined {
    return this.queue.refused;
  }

  set refused(refused: HeldOutcome | undefined) {
    this.queue.refused = refused;
  }

  sleepUntil(remainingMs: number | null): void {
    this.queue.sleepUntil(remainingMs);
  }

  leave(heldMs?: number): void {
    this.queue.leave(this, heldMs);
  }

  #settle(settle: ((stop: unknown) => void) | undefined): void {
    const stop = this.#stop;
    if (stop === undefined) return;
    stop.onEnding = undefined;
    this.#stop = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
    settle?.(stop);
  }
}

class KeyQueue {
  refused: HeldOutcome | undefined;
  readonly #waiters: Waiter[] = [];
  #isAttemptDue = false;
  #attempting: Waiter | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly subscriber: Subscriber,
    private readonly channel: Buffer,
    private readonly onEmpty: () => void,
  ) {
    this.subscribe();
  }

  /** Looks again once the subscription stands, and without it as well: then the timer has to do. */
  subscribe(): void {
    this.subscriber.subscribe(this.channel).then(
      () => this.wake(),
      () => this.wake(),
    );
  }

  wake(): void {
    this.#isAttemptDue = true;
    clearTimeout(this.#timer);
    this.#waiters[0]?.wake();
  }

  enqueue(since: number): QueuePlace {
    const waiter = new Waiter(this, since);
    const before = this.#waiters.findIndex((other) => other.since > since);
    this.#waiters.splice(before < 0 ? this.#waiters.length : before, 0, waiter);
    return waiter;
  }

  /** Whether this one is to look now; the others go on waiting then. */
  tryStartAttempt(waiter: Waiter): boolean {
    if (!this.#isAttemptDue || this.#waiters[0] !== waiter) return false;
    this.#isAttemptDue = false;
    this.#attempting = waiter;
    return true;
  }

  sleepUntil(remainingMs: number | null): void {
    this.#attempting = undefined;
    if (this.#isAttemptDue) return;
    const capMs = RETRY_INTERVAL_MS * (1 - JITTER * Math.random());
    // One millisecond more, so that the lease has ended when we look.
    const waitMs = Math.min(capMs, (remainingMs ?? Number.POSITIVE_INFINITY) + 1 + Math.random());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), waitMs);
  }

  leave(waiter: Waiter, heldMs: number | undefined): void {
    const at = this.#waiters.indexOf(waiter);
    if (at >= 0) this.#waiters.splice(at, 1);
    const [next] = this.#waiters;
    if (next === undefined) {
      clearTimeout(this.#timer);
      this.onEmpty();
      this.subscriber.unsubscribe(this.channel).catch(() => undefined);
    } else if (at === 0 || this.#attempting === waiter) {
      const isTaken = heldMs !== undefined && !this.#isAttemptDue;
      // One that took the lock leaves nothing to look for; any other may have taken the wake-up with it.
      if (isTaken) this.sleepUntil(heldMs);
      else this.wake();
    }
  }
}
