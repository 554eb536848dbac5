import type { Key } from "../../../lib/keys/key.ts";
import { wakeChannelOf } from "../../formats/keys.ts";
import type { Subscriber } from "../../redis/commands.ts";
import type { Refused, Stop } from "./wait-stop.ts";

/** Nobody is told of an expiry, and a message may be lost: whoever is first looks again after this at the latest. */
const LOOK_EVERY_MS = 2000;
const JITTER = 0.2;

/** A place in the queue of one key in this process. Only the first of them talks to Redis. */
export interface Place {
  /**
   * Resolves when it is this one's turn to look: first in the queue, and woken or tired of waiting. Rejects with the
   * stop when that ends first.
   */
  turn(stop: Stop): Promise<void>;
  /** What the last look of anyone in the queue showed: one for all, since thousands may wait. */
  refused: Refused | undefined;
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
export class WaitingRoom {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly subscriber: Subscriber) {
    subscriber.on("messageBuffer", (channel: Buffer) => this.#queues.get(channel.toString("latin1"))?.wake());
    // What was published while the subscription was broken is lost, so everyone who is first looks again.
    subscriber.on("ready", () => {
      for (const queue of this.#queues.values()) queue.subscribe();
    });
  }

  /**
   * @param since orders those who wait: one who comes back keeps its place
   * @param owner who may take the lock once more when it has it
   */
  enter(key: Key, since: number, owner?: string): Place {
    const channel = channelOf(key);
    const id = channel.toString("latin1");
    let queue = this.#queues.get(id);
    if (queue === undefined) {
      queue = new Queue(this.subscriber, channel, () => this.#queues.delete(id));
      this.#queues.set(id, queue);
    }
    return queue.enter(since, owner);
  }
}

function channelOf(key: Key): Buffer {
  const name = wakeChannelOf(key);
  return Buffer.isBuffer(name) ? name : Buffer.from(String(name));
}

/** One object for all that it is, without a function of its own: thousands may wait. */
class Waiter implements Place {
  /** Of the turn that is waited for. */
  #stop: Stop | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(
    private readonly queue: Queue,
    readonly since: number,
    readonly owner: string | undefined,
  ) {}

  turn(stop: Stop): Promise<void> {
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
    if (this.#stop !== undefined && this.queue.mayLook(this)) this.#settle(this.#resolve);
  }

  stopped(): void {
    this.#settle(this.#reject);
  }

  get refused(): Refused | undefined {
    return this.queue.refused;
  }

  set refused(refused: Refused | undefined) {
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

class Queue {
  refused: Refused | undefined;
  readonly #waiters: Waiter[] = [];
  #mayLook = false;
  #looking: Waiter | undefined;
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
    this.#mayLook = true;
    clearTimeout(this.#timer);
    this.#waiters[0]?.wake();
  }

  enter(since: number, owner: string | undefined): Place {
    const waiter = new Waiter(this, since, owner);
    const before = this.#waiters.findIndex((other) => other.since > since);
    this.#waiters.splice(before < 0 ? this.#waiters.length : before, 0, waiter);
    return waiter;
  }

  /** Whether this one is to look now; the others go on waiting then. */
  mayLook(waiter: Waiter): boolean {
    if (!this.#mayLook || this.#waiters[0] !== waiter) return false;
    this.#mayLook = false;
    this.#looking = waiter;
    return true;
  }

  sleepUntil(remainingMs: number | null): void {
    this.#looking = undefined;
    if (this.#mayLook) return;
    const capMs = LOOK_EVERY_MS * (1 - JITTER * Math.random());
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
    } else if (at === 0 || this.#looking === waiter) {
      const isTaken = heldMs !== undefined && next.owner !== waiter.owner && !this.#mayLook;
      // One that took the lock leaves nothing to look for; any other may have taken the wake-up with it.
      if (isTaken) this.sleepUntil(heldMs);
      else this.wake();
    }
  }
}
