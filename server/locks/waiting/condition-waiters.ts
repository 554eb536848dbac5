import type { Key } from "../../../lib/keys/key.ts";
import { buildConditionChannel } from "../../formats/condition-keys.ts";
import type { WaiterStatus } from "../../formats/conditions/condition-scripts.ts";
import type { Subscriber } from "../../redis/commands.ts";
import type { WaitCancellation } from "./wait-stop.ts";

/** Interval, in ms, at which heartbeats are renewed. Redis counts a waiter as alive for three times this interval. */
const RENEWAL_INTERVAL_MS = 2000;
const FAILED_RENEWAL_RETRY_MS = 500;
const WAITERS_PER_CALL = 200;

/**
 * Renews the heartbeats of clients that wait for conditions of one lock. Returns the states of the waiters in the same
 * order as `waiters`.
 */
export type RenewWaiters = (key: Key, waiters: readonly string[]) => Promise<readonly WaiterStatus[]>;

/** A condition waiter in this process. Its heartbeat is renewed until it leaves. */
export class ConditionPlace {
  #woken: WaiterStatus | undefined;
  #onWoken: (() => void) | undefined;
  #stop: WaitCancellation | undefined;
  /** Whether a later request with the same id has taken over the waiter. */
  isSuperseded = false;

  constructor(private readonly onLeave: (place: ConditionPlace) => void) {}

  /**
   * Resolves when Redis reports that the waiter has stopped waiting for a signal. Rejects with `stop` if the wait ends
   * before that.
   */
  awaitWakeUp(stop: WaitCancellation): Promise<WaiterStatus> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        stop.onEnding = undefined;
        this.#stop = undefined;
        this.#onWoken = undefined;
        if (this.#woken === undefined) reject(stop);
        else resolve(this.#woken);
      };
      if (this.#woken !== undefined || stop.ending !== undefined) return settle();
      this.#stop = stop;
      this.#onWoken = settle;
      stop.onEnding = { stopped: settle };
    });
  }

  wake(status: WaiterStatus): void {
    this.#woken ??= status;
    this.#onWoken?.();
  }

  supersede(): void {
    this.isSuperseded = true;
    this.#stop?.end("superseded");
  }

  leave(): void {
    this.onLeave(this);
  }
}

/**
 * The clients of this process that wait for conditions. All waiters of one lock share a subscription, and up to 200 of
 * them share a script call every two seconds. The script renews their heartbeats and finds signals whose messages were
 * lost. A woken waiter stays until it has acquired the lock again, because its signal would otherwise pass to another
 * waiter.
 */
export class ConditionWaiters {
  readonly #locks = new Map<string, LockWaiters>();

  constructor(
    private readonly subscriber: Subscriber,
    private readonly renew: RenewWaiters,
  ) {
    subscriber.on("messageBuffer", (channel, message) => {
      this.#locks.get(channel.toString("latin1"))?.receive(message.toString());
    });
    subscriber.on("ready", () => {
      for (const lock of this.#locks.values()) void this.#subscribe(lock);
    });
  }

  /** Adds a waiter that Redis has already recorded. Supersedes an earlier waiter with the same id. */
  join(key: Key, id: string): ConditionPlace {
    const name = buildConditionChannel(key);
    const channel = Buffer.isBuffer(name) ? name : Buffer.from(String(name));
    const listed = channel.toString("latin1");
    let lock = this.#locks.get(listed);
    const isNew = lock === undefined;
    if (lock === undefined) {
      lock = new LockWaiters(key, channel, this.renew, () => this.#close(listed, channel));
      this.#locks.set(listed, lock);
    }
    const place = lock.add(id);
    if (isNew) void this.#subscribe(lock);
    return place;
  }

  /**
   * Subscribes to the channel and then reads the states of the waiters. A signal may have been sent before the
   * subscription.
   */
  async #subscribe(lock: LockWaiters): Promise<void> {
    await this.subscriber.subscribe(lock.channel).catch(() => undefined);
    lock.isSubscribed = true;
    await lock.renewAll();
  }

  #close(listed: string, channel: Buffer): void {
    this.#locks.delete(listed);
    this.subscriber.unsubscribe(channel).catch(() => undefined);
  }
}

/** The waiters of this process for conditions of one lock. */
class LockWaiters {
  readonly #places = new Map<string, ConditionPlace>();
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;
  isSubscribed = false;

  constructor(
    private readonly key: Key,
    readonly channel: Buffer,
    private readonly renew: RenewWaiters,
    private readonly onEmpty: () => void,
  ) {}

  add(id: string): ConditionPlace {
    this.#places.get(id)?.supersede();
    const place = new ConditionPlace((left) => this.#remove(id, left));
    this.#places.set(id, place);
    // The signal may have been sent after the script and before this call.
    if (this.isSubscribed) void this.#renewSome([id]);
    return place;
  }

  #remove(id: string, place: ConditionPlace): void {
    if (this.#places.get(id) !== place) return;
    this.#places.delete(id);
    if (this.#places.size > 0) return;
    clearTimeout(this.#timer);
    this.onEmpty();
  }

  /** Wakes the waiters that a message lists, one per line: `since ⇥ waiter`. */
  receive(message: string): void {
    for (const line of message.split("\n")) {
      const [since, id = ""] = line.split("\t");
      this.#places.get(id)?.wake({ state: "signalled", sinceMs: Number(since) });
    }
  }

  async renewAll(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    clearTimeout(this.#timer);
    const ids = [...this.#places.keys()];
    let isRenewed = true;
    for (let at = 0; at < ids.length; at += WAITERS_PER_CALL)
      isRenewed = (await this.#renewSome(ids.slice(at, at + WAITERS_PER_CALL))) && isRenewed;
    this.#isRenewing = false;
    if (this.#places.size === 0) return;
    clearTimeout(this.#timer);
    const inMs = isRenewed ? RENEWAL_INTERVAL_MS : FAILED_RENEWAL_RETRY_MS;
    this.#timer = setTimeout(() => void this.renewAll(), inMs);
  }

  /** @returns false if Redis did not reply */
  async #renewSome(ids: readonly string[]): Promise<boolean> {
    const asked = ids.map((id) => this.#places.get(id));
    try {
      const statuses = await this.renew(this.key, ids);
      ids.forEach((id, index) => {
        const status = statuses[index];
        const place = this.#places.get(id);
        // A waiter that has joined again has a different place.
        if (place === undefined || place !== asked[index] || status === undefined) return;
        if (status.state !== "waiting") place.wake(status);
      });
      return true;
    } catch {
      return false;
    }
  }
}
