import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Grant, OwnerRecord, Released } from "../../lib/contract/lock.ts";
import { eventChannelOf } from "../formats/keys.ts";
import { addressOf, connect, whenReady } from "../redis/connect.ts";
import { OwnerContext } from "./context.ts";
import { AbortedError, HeldError, WaitTimeoutError } from "./errors.ts";
import { Hold, type HoldEvents, momentNow } from "./hold.ts";
import { Locks } from "./locks.ts";
import { Watchdog } from "./watchdog.ts";

/**
 * The door of this folder for apps that run in Node: locks as holds, with renewal, loss and re-entrancy.
 *
 * Java's `Lock` maps onto it:
 * `lock()` is `acquire(key, { waitMs: Infinity })`; `lockInterruptibly()` the same with `signal`; `tryLock()` is
 * `acquire(key)`, whose refusal is the error `held`; `tryLock(time)` is `waitMs`, whose end is the error `timeout`;
 * `unlock()` is `hold.release()`. `withLock` is the normal way: it cannot forget the release.
 */
export interface LockClientOptions {
  /** Keys that may be locked; all by default. */
  readonly lockable?: readonly string[];
  readonly log?: Logger;
}

/** Trying again and again instead of waiting for the wake-up. */
export interface Retry {
  /** Tries in all, the first included. */
  readonly tries: number;
  readonly pauseMs: number;
  /** Share of the pause that chance adds or takes, 0 to 1. */
  readonly jitter?: number;
}

export interface HoldOptions extends HoldEvents {
  /** 30 000 by default; the watchdog renews at a third of it. */
  readonly leaseMs?: number;
  /** How long to wait; 0 by default, Infinity for ever. */
  readonly waitMs?: number;
  readonly retry?: Retry;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** By default the owner of the asynchronous context, or a new one. */
  readonly owner?: string;
  readonly reentrant?: boolean;
  readonly record?: OwnerRecord;
  /** false: the lease is fixed and ends unless `renew` is called. */
  readonly renew?: boolean;
}

const LEASE_MS = 30_000;
/** A wait without end is asked for in stretches of this. */
const STRETCH_MS = 60 * 60 * 1000;
const OPEN_MS = 5000;

export class LockClient {
  readonly #locks: Locks;
  readonly #watchdog: Watchdog;
  readonly #context = new OwnerContext();

  private constructor(
    private readonly connections: { verbs: Redis; wake: Redis; renewals: Redis },
    db: number,
    private readonly options: LockClientOptions,
  ) {
    this.#locks = new Locks(connections.verbs, connections.wake, db, options.lockable ?? ["*"]);
    this.#watchdog = new Watchdog(connections.renewals, eventChannelOf(db));
  }

  /**
   * Opens three connections: for the verbs, for wake-ups, and for renewals alone.
   *
   * @param url `redis://`, `rediss://` or `unix://`
   * @throws StartupError when the URL is wrong; a TimeoutError when Redis does not answer within five seconds
   */
  static async open(url: string, options: LockClientOptions = {}): Promise<LockClient> {
    const address = addressOf(url);
    const connections = {
      verbs: connect(address, "verbs"),
      wake: connect(address, "wake", { autoResubscribe: false }),
      renewals: connect(address, "renewals"),
    };
    try {
      const signal = AbortSignal.timeout(OPEN_MS);
      await Promise.all(Object.values(connections).map((redis) => whenReady(redis, signal)));
    } catch (error) {
      for (const redis of Object.values(connections)) redis.disconnect();
      throw error;
    }
    return new LockClient(connections, address.db, options);
  }

  /**
   * Takes a lock.
   *
   * @throws LockkeeperError held, timeout, aborted, queue_full, not_a_lock, key_not_allowed, invalid, unavailable,
   *   unknown_outcome
   */
  async acquire(key: string, options: HoldOptions = {}): Promise<Hold> {
    const owner = options.owner ?? this.#context.current ?? this.#context.next();
    const [grant, sentAt] = await this.#try(key, owner, options);
    const keeper = {
      renew: (held: Hold, leaseMs: number) => this.#locks.renew(key, { owner: held.owner, leaseMs }),
      release: (held: Hold) => this.#release(held),
    };
    const hold = new Hold(key, grant, sentAt, keeper, { onJeopardy: options.onJeopardy });
    if (options.renew ?? true) this.#watchdog.watch(hold);
    return hold;
  }

  /**
   * Runs the work while holding the lock. Its signal ends with the hold.
   *
   * The work's own error wins over one of the release: a lock that cannot be released ends by its lease.
   *
   * @throws LockkeeperError as `acquire`, and whatever the work throws
   */
  async withLock<Result>(
    key: string,
    options: HoldOptions,
    work: (hold: Hold) => Promise<Result>,
  ): Promise<Result> {
    const owner = options.owner ?? this.#context.current ?? this.#context.next();
    const hold = await this.acquire(key, { ...options, owner });
    try {
      return await this.#context.run(owner, () => work(hold));
    } finally {
      await hold.release().catch((error: unknown) => {
        this.options.log?.warn({ err: error, key }, "release failed; the lease ends the hold");
      });
    }
  }

  close(): void {
    this.#watchdog.stop();
    for (const redis of Object.values(this.connections)) redis.disconnect();
  }

  async #release(hold: Hold): Promise<Released> {
    await this.#watchdog.forget(hold);
    return await this.#locks.release(hold.key, { owner: hold.owner });
  }

  async #try(
    key: string,
    owner: string,
    options: HoldOptions,
  ): Promise<[Grant, ReturnType<typeof momentNow>]> {
    const { retry } = options;
    if (retry === undefined) return await this.#once(key, owner, options);
    for (let tried = 1; ; tried++) {
      try {
        return await this.#once(key, owner, { ...options, waitMs: 0 });
      } catch (error) {
        const isHeld = error instanceof HeldError;
        this.options.log?.debug({ key, owner, tried, answer: isHeld ? "held" : String(error) }, "try");
        if (!isHeld || tried >= retry.tries) throw error;
      }
      const jitter = 1 + (retry.jitter ?? 0) * (2 * Math.random() - 1);
      await pause(retry.pauseMs * jitter, options.signal);
    }
  }

  async #once(
    key: string,
    owner: string,
    options: HoldOptions,
  ): Promise<[Grant, ReturnType<typeof momentNow>]> {
    const { leaseMs = LEASE_MS, waitMs = 0, reentrant = true, record, signal } = options;
    for (;;) {
      let sentAt = momentNow();
      const stretchMs = Math.min(waitMs, STRETCH_MS);
      const ask = { owner, leaseMs, reentrant, record, waitMs: stretchMs, ...(signal ? { signal } : {}) };
      try {
        const { grant } = await this.#locks.acquire(key, {
          ...ask,
          onSend: () => {
            sentAt = momentNow();
          },
        });
        return [grant, sentAt];
      } catch (error) {
        const goesOn = waitMs === Number.POSITIVE_INFINITY && error instanceof WaitTimeoutError;
        if (!goesOn) throw error;
      }
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {});
  } catch {
    throw new AbortedError("The wait was given up; nothing is held.");
  }
}
