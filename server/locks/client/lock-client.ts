import type { Released } from "../../../lib/contract/actions/verb.ts";
import type { TimestampUnit, WritableFormat } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import { openBackend, type RedisLocation } from "../backends/open-backend.ts";
import type { Backend } from "../verbs/backend.ts";
import type { SafetyOptions } from "../verbs/safety.ts";
import type { LockVerbs, ReserveOptions } from "../verbs/verbs.ts";
import { acquireWithRetry, type Retry } from "./acquire-with-retry.ts";
import { Hold, type HoldEvents, type HoldRelease } from "./hold.ts";
import type { Logger } from "./logger.ts";
import { OwnerContext } from "./owner-context.ts";
import { Watchdog } from "./watchdog.ts";

/**
 * The door of this folder for apps that run in Node: locks as holds, with renewal, loss and re-entrancy.
 *
 * Java's `Lock` maps onto it:
 * `lock()` is `acquire(key, { waitMs: Infinity })`; `lockInterruptibly()` the same with `signal`; `tryLock()` is
 * `acquire(key)`, whose refusal is the error `held`; `tryLock(time)` is `waitMs`, whose end is the error `timeout`;
 * `unlock()` is `hold.release()`. `withLock` is the normal way: it cannot forget the release.
 */
export interface LockClientOptions extends SafetyOptions {
  /** Keys that may be locked; all by default. */
  readonly lockable?: readonly string[];
  readonly log?: Logger;
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
  /** Who acquires, where several share owner names: nobody else enters the hold again, renews or releases it. */
  readonly principal?: string;
  readonly reentrant?: boolean;
  /** How the lock is written in Redis; as Redisson does by default, and on a quorum always as `token`. */
  readonly format?: WritableFormat;
  /** What the format `timestamp` writes its deadline in. */
  readonly unit?: TimestampUnit;
  /** For how long nobody may take the lock after a lease that ran out: what was under way may end meanwhile. */
  readonly graceMs?: number;
  /** For how long the lock stays taken at least, also when it is released before. */
  readonly minHoldMs?: number;
  readonly record?: OwnerRecord;
  /** false: the lease is fixed and ends unless `renew` is called. */
  readonly renew?: boolean;
}

const LEASE_MS = 30_000;

export class LockClient {
  readonly #verbs: LockVerbs;
  readonly #watchdog: Watchdog;
  readonly #context = new OwnerContext();

  private constructor(
    private readonly backend: Backend,
    private readonly log: Logger | undefined,
  ) {
    this.#verbs = backend.verbs;
    this.#watchdog = new Watchdog((holds, tryMs) => backend.renewMany(holds, tryMs));
  }

  /**
   * @param where `redis://`, `rediss://` or `unix://`; `{ sentinel, master }` with the URLs of the sentinels and the name
   *   they give to the master; `{ cluster }` with the URLs of some of its nodes; or `{ quorum }` with those of
   *   independent masters
   * @throws StartupError when a URL is wrong; a TimeoutError when Redis does not answer within five seconds
   */
  static async open(where: RedisLocation, options: LockClientOptions = {}): Promise<LockClient> {
    const { lockable = ["*"], log, ...safety } = options;
    return new LockClient(await openBackend(where, lockable, safety), log);
  }

  /**
   * Takes a lock.
   *
   * @throws LockkeeperError held, timeout, aborted, queue_full, not_a_lock, key_not_allowed, invalid, unavailable,
   *   not_replicated, unknown_outcome
   */
  async acquire(key: string, options: HoldOptions = {}): Promise<Hold> {
    const { retry, renew = true, onJeopardy, ...ask } = options;
    const { principal } = ask;
    const format = options.format ?? this.backend.format ?? "redisson";
    const owner = options.owner ?? this.#context.current ?? this.#context.createOwner();
    const defaults = { leaseMs: LEASE_MS, reentrant: true };
    const acquisition = await acquireWithRetry(
      this.#verbs,
      key,
      { ...defaults, ...ask, format, owner },
      retry,
      this.log,
    );
    const holdActions = {
      renew: (_: Hold, leaseMs: number, onSend: () => void) =>
        this.#verbs.renew(key, { owner, principal, leaseMs, format, onSend }),
      release: (held: Hold, ask: HoldRelease) => this.#release(held, ask),
    };
    const hold = new Hold(key, format, acquisition, holdActions, { onJeopardy }, principal);
    if (renew) this.#watchdog.watch(hold);
    return hold;
  }

  /**
   * Keeps everybody off a free lock for a while, clients of other libraries included.
   *
   * @throws LockkeeperError as `acquire` without waiting
   */
  async reserve(key: string, options: ReserveOptions): Promise<void> {
    await this.#verbs.reserve(key, options);
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
    const owner = options.owner ?? this.#context.current ?? this.#context.createOwner();
    const hold = await this.acquire(key, { ...options, owner });
    try {
      return await this.#context.run(owner, () => work(hold));
    } finally {
      await this.#releaseQuietly(hold);
    }
  }

  close(): void {
    this.#watchdog.stop();
    this.backend.close();
  }

  async #releaseQuietly(hold: Hold): Promise<void> {
    const { key, owner, fence } = hold;
    try {
      const { outcome } = await hold.release();
      if (outcome === "not_held") this.log?.warn({ key, owner, fence }, "lost before the work had ended");
    } catch (error) {
      this.log?.warn({ err: error, key, owner, fence }, "release failed; the lease ends the hold");
    }
  }

  async #release(hold: Hold, ask: HoldRelease): Promise<Released> {
    await this.#watchdog.unwatch(hold);
    const { key, owner, principal, format } = hold;
    return await this.#verbs.release(key, { owner, principal, format, ...ask });
  }
}
