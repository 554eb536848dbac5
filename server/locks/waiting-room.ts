import type { Key } from "../../lib/contract/key.ts";
import { wakeChannelOf } from "../formats/keys.ts";
import type { Subscriber } from "../redis/commands.ts";

/** Nobody is told of an expiry, and a message may be lost: whoever is first looks again after this at the latest. */
const LOOK_EVERY_MS = 2000;
const JITTER = 0.2;

/** A place in the queue of one key in this process. Only the first of them talks to Redis. */
export interface Place {
  /** Resolves when it is this one's turn to look: first in the queue, and woken or tired of waiting. */
  turn(signal: AbortSignal): Promise<void>;
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

class Waiter {
  wake: () => void = () => undefined;
  constructor(
    readonly since: number,
    readonly owner: string | undefined,
  ) {}
}

class Queue {
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
    const waiter = new Waiter(since, owner);
    const before = this.#waiters.findIndex((other) => other.since > since);
    this.#waiters.splice(before < 0 ? this.#waiters.length : before, 0, waiter);
    return {
      turn: (signal) => this.#turn(waiter, signal),
      sleepUntil: (remainingMs) => this.#sleepUntil(remainingMs),
      leave: (heldMs) => this.#leave(waiter, heldMs),
    };
  }

  #turn(waiter: Waiter, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        signal.removeEventListener("abort", aborted);
        waiter.wake = () => undefined;
        done();
      };
      const aborted = () => settle(() => reject(signal.reason));
      waiter.wake = () => {
        if (!this.#mayLook || this.#waiters[0] !== waiter) return;
        this.#mayLook = false;
        this.#looking = waiter;
        settle(resolve);
      };
      if (signal.aborted) aborted();
      else {
        signal.addEventListener("abort", aborted);
        waiter.wake();
      }
    });
  }

  #sleepUntil(remainingMs: number | null): void {
    this.#looking = undefined;
    if (this.#mayLook) return;
    const capMs = LOOK_EVERY_MS * (1 - JITTER * Math.random());
    // One millisecond more, so that the lease has ended when we look.
    const waitMs = Math.min(capMs, (remainingMs ?? Number.POSITIVE_INFINITY) + 1 + Math.random());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), waitMs);
  }

  #leave(waiter: Waiter, heldMs: number | undefined): void {
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
      if (isTaken) this.#sleepUntil(heldMs);
      else this.wake();
    }
  }
}
