import type { OwnerRecord, TimestampUnit, WritableFormat, WritableKind } from "./wire-types.ts";

/** Options of `acquire` and `withLock`. */
export interface AcquireOptions {
  /** Lease in milliseconds, renewed each time a third of it has passed; 30,000 by default. */
  readonly leaseMs?: number | undefined;
  /** How long to wait for a held lock, in milliseconds; 0 by default, Infinity for no limit. */
  readonly waitMs?: number | undefined;
  /** A human-readable label; the name of the API key by default. */
  readonly owner?: string | undefined;
  /** Service, host, purpose and more, shown in the console. */
  readonly record?: OwnerRecord | undefined;
  /** How the lock is stored in Redis; by default `redisson`, and `token` on a quorum target. */
  readonly format?: WritableFormat | undefined;
  /**
   * `lock` by default. `fair`: waiters acquire the lock in the order in which they began to wait. `read` and `write`: a
   * read/write lock, which several readers or one writer can hold. `semaphore`: several clients share `limit` permits.
   * `plain_semaphore`: permits that JVMs also acquire as Redisson's `RSemaphore`. All clients of a key must use the same
   * kind. Only for `redisson`.
   */
  readonly kind?: WritableKind | undefined;
  /**
   * The number of permits, 1 to 256, which become the `count` of the hold. All of them are acquired, or none. Only for
   * the kinds of semaphore; 1 by default.
   */
  readonly permits?: number | undefined;
  /**
   * The total number of permits, 1 to 4,096; only for the kinds of semaphore. A missing semaphore is created with it, and an
   * existing one of the kind `semaphore` must have the same total. By default, the semaphore must exist.
   */
  readonly limit?: number | undefined;
  /** Whether a reader yields to writers that began to wait earlier; true by default. Only for the kind `read`. */
  readonly yieldsToWriters?: boolean | undefined;
  /**
   * Up to 16 holds, or their `holdId`s, that you do not release before the wait ends. A Lockkeeper server detects
   * deadlocks from them. The holds of enclosing `withLock` calls are not added automatically.
   */
  readonly holding?: readonly (string | { readonly holdId: string })[] | undefined;
  /**
   * `report` (default): a deadlock is reported, but no wait ends. `refuse`: in a deadlock, the youngest wait with this
   * option ends with a DeadlockError. Not on quorum targets.
   */
  readonly onDeadlock?: "report" | "refuse" | undefined;
  /** Unit of the deadline; only for the format `timestamp`. */
  readonly unit?: TimestampUnit | undefined;
  /** Grace period in milliseconds: time after an expired lease in which no other client can acquire the lock. */
  readonly graceMs?: number | undefined;
  /** Minimum hold time in milliseconds, which applies even if the lock is released earlier. */
  readonly minHoldMs?: number | undefined;
  /** `automatic` (the default): the client renews the hold until it ends. `manual`: only `hold.renew()` renews it. */
  readonly renewal?: "automatic" | "manual" | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `acquireAll` and `withLocks`, which acquire plain locks. */
export type AcquireAllOptions = Omit<
  AcquireOptions,
  "kind" | "permits" | "limit" | "yieldsToWriters" | "holding" | "onDeadlock"
>;

/** The permits of a semaphore. */
export interface SemaphorePermits {
  readonly limit: number;
  /** Negative if more permits are acquired than the limit. */
  readonly available: number;
  readonly acquired: number;
}

export interface RenewOptions {
  /** Minimum time to expiry after the renewal, in milliseconds. By default, the lease of the hold. */
  readonly leaseMs?: number | undefined;
}

export interface ReleaseOptions {
  /** Time after this release in which no client can acquire the lock, in milliseconds. */
  readonly reservedMs?: number | undefined;
}

export interface Released {
  /** `still_held`: the re-entrancy count was decremented and is not yet 0. `not_held`: the hold had already ended. */
  readonly outcome: "released" | "still_held" | "not_held";
  /** Remaining re-entrancy count. */
  readonly count: number;
}
