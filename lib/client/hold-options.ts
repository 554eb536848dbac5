import type { OwnerRecord, TimestampUnit, WritableFormat, WritableKind } from "./wire-types.ts";

/** Options for `acquire` and `withLock`. */
export interface AcquireOptions {
  /**
   * Lease in milliseconds, 10 to 86,400,000 (24 hours); 30,000 by default. With automatic renewal, the hold is renewed
   * whenever a third of the lease has passed.
   */
  readonly leaseMs?: number | undefined;
  /** Maximum time to wait for a held lock, in milliseconds; 0 by default, `Infinity` for no limit. */
  readonly waitMs?: number | undefined;
  /** Human-readable name of the owner; the name of the API key by default. */
  readonly owner?: string | undefined;
  /** Information about the owner, such as service, host and purpose. Shown in the console. */
  readonly record?: OwnerRecord | undefined;
  /** How the lock is stored in Redis; `redisson` by default, or `token` on a quorum target. */
  readonly format?: WritableFormat | undefined;
  /**
   * Kind of lock; `lock` by default. `fair`: waiters acquire the lock in the order in which they began to wait. `read`
   * and `write`: a read/write lock, which several readers or one writer can hold. `semaphore`: several clients share
   * `limit` permits. `plain_semaphore`: a semaphore that is compatible with Redisson's `RSemaphore`. All clients of a
   * key must use the same kind. Kinds other than `lock` require the `redisson` format.
   */
  readonly kind?: WritableKind | undefined;
  /**
   * Number of permits to acquire, 1 to 256; 1 by default. Only for semaphores. All permits are acquired, or none. The
   * number becomes the `count` of the hold.
   */
  readonly permits?: number | undefined;
  /**
   * Total number of permits, 1 to 4,096. Only for semaphores. If the semaphore does not exist, it is created with this
   * total. An existing semaphore of the kind `semaphore` must have the same total. Without `limit`, the semaphore must
   * exist.
   */
  readonly limit?: number | undefined;
  /** Whether a reader yields to writers that began to wait earlier; true by default. Only for `read` locks. */
  readonly yieldsToWriters?: boolean | undefined;
  /**
   * Up to 16 holds, or their `holdId`s, that you do not release before the wait ends. The server uses them to detect
   * deadlocks. The holds of enclosing `withLock` calls are not added automatically.
   */
  readonly holding?: readonly (string | { readonly holdId: string })[] | undefined;
  /**
   * What happens if the wait becomes part of a deadlock. `report` (default): the deadlock is shown to operators, and
   * the wait continues. `refuse`: the most recent wait in the deadlock that has this option ends with a DeadlockError.
   * Not supported on quorum targets.
   */
  readonly onDeadlock?: "report" | "refuse" | undefined;
  /** Unit of the deadline that is stored in the key. Only for the `timestamp` format. */
  readonly unit?: TimestampUnit | undefined;
  /**
   * Grace period in milliseconds after the lease has expired, in which other owners cannot acquire the lock; 0 by
   * default. Does not apply after a release. Not supported for semaphores.
   */
  readonly graceMs?: number | undefined;
  /**
   * Minimum hold time in milliseconds; 0 by default. The lock stays held for this time even if it is released earlier,
   * but not if its lease expires. Not supported for semaphores.
   */
  readonly minHoldMs?: number | undefined;
  /**
   * Who renews the hold. `automatic` (default): the client, until the hold ends. `manual`: only your calls to
   * `hold.renew()`.
   */
  readonly renewal?: "automatic" | "manual" | undefined;
  /** Cancels the acquire. Has no effect after the lock has been acquired. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for `acquireAll` and `withLocks`. All locks are of the kind `lock`. */
export type AcquireAllOptions = Omit<
  AcquireOptions,
  "kind" | "permits" | "limit" | "yieldsToWriters" | "holding" | "onDeadlock"
>;

/** The permits of a semaphore. */
export interface SemaphorePermits {
  readonly limit: number;
  /** Number of available permits. Negative if more permits are acquired than the limit allows. */
  readonly available: number;
  readonly acquired: number;
}

export interface RenewOptions {
  /** Minimum remaining lease after the renewal or re-entry, in milliseconds; the hold's lease by default. */
  readonly leaseMs?: number | undefined;
}

export interface ReleaseOptions {
  /** Time in milliseconds, 10 to 86,400,000 (24 hours), for which no client can acquire the lock after the release. */
  readonly reservedMs?: number | undefined;
}

export interface Released {
  /**
   * Result of the release. `released`: the hold has ended. `still_held`: the re-entrancy count was decremented and is
   * not yet 0. `not_held`: the hold had already ended.
   */
  readonly outcome: "released" | "still_held" | "not_held";
  /** Re-entrancy count after the release. */
  readonly count: number;
}
