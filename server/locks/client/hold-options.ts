import type { LockGroup } from "../../../lib/client/lock-group.ts";
import type { TimestampUnit, WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { OnDeadlock } from "../../formats/wait-declaration.ts";
import type { Retry } from "./acquire-with-retry.ts";
import type { Hold } from "./hold.ts";

/** Options for `acquire`. */
export interface HoldOptions {
  /** Lease in milliseconds; 30,000 by default. The watchdog renews the lease after a third of that time. */
  readonly leaseMs?: number | undefined;
  /** How long to wait for the lock, in milliseconds; 0 by default, Infinity for no limit. */
  readonly waitMs?: number | undefined;
  /**
   * Holds that you keep while you wait for this lock. The holds of enclosing `withLock` and `withLocks` calls of the
   * same client are added automatically, up to a total of 16. A Lockkeeper server uses these holds to detect deadlocks.
   */
  readonly holding?: readonly Pick<Hold, "key" | "token">[] | undefined;
  /**
   * `report` by default: a deadlock is only reported. `refuse`: in a deadlock, the most recent wait with this option
   * ends with a DeadlockError. Requires a Lockkeeper server that watches this Redis.
   */
  readonly onDeadlock?: OnDeadlock | undefined;
  /** Polls for the lock at intervals instead of waiting in the queue. */
  readonly retry?: Retry | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Label of the holder for display; `<hostname>:<pid>` by default. */
  readonly owner?: string | undefined;
  /** The format of the lock in Redis; `redisson` by default, always `token` on a quorum. */
  readonly format?: WritableFormat | undefined;
  /**
   * `lock` by default. `fair`: waiters acquire the lock in the order in which they began to wait. `read` and `write`: a
   * lock that several readers or one writer can hold. `semaphore`: several clients share `limit` permits.
   * `plain_semaphore`: permits that Java applications can also acquire, with Redisson's `RSemaphore`. Every kind except
   * `lock` requires the `redisson` format.
   */
  readonly kind?: WritableKind | undefined;
  /**
   * Number of permits to acquire, all or none; 1 by default. This number becomes the `count` of the hold. Only for
   * semaphores.
   */
  readonly permits?: number | undefined;
  /**
   * The total number of permits; only for semaphores. If the semaphore does not exist, it is created with this total.
   * An existing semaphore of the kind `semaphore` must have the same total. Without `limit`, the semaphore must exist.
   */
  readonly limit?: number | undefined;
  /** Whether a reader gives way to writers that began to wait earlier; true by default. Only for the kind `read`. */
  readonly yieldsToWriters?: boolean | undefined;
  /** Unit of the deadline; `ms` by default. Only for the `timestamp` format. */
  readonly unit?: TimestampUnit | undefined;
  /** Grace period in milliseconds: time after the lease in which other owners still cannot acquire the lock. */
  readonly graceMs?: number | undefined;
  /** Minimum hold time in milliseconds, for which the lock stays held even after an early release. */
  readonly minHoldMs?: number | undefined;
  /** Information about the owner that the console shows, such as service, host and purpose. */
  readonly record?: OwnerRecord | undefined;
  /** Whether the watchdog renews the lease; true by default. */
  readonly renew?: boolean | undefined;
  /** Called when a renewal fails or is late. The hold remains guaranteed until its deadline. */
  readonly onJeopardy?: ((hold: Hold) => void) | undefined;
}

/** Options of `acquireAll` and `withLocks`. */
export interface AcquireAllOptions
  extends Omit<
    HoldOptions,
    "holding" | "onDeadlock" | "kind" | "permits" | "limit" | "yieldsToWriters" | "onJeopardy"
  > {
  /**
   * Called when the renewal of a hold in the group fails or is late. The group remains guaranteed until its deadline.
   */
  readonly onJeopardy?: ((group: LockGroup<Hold>) => void) | undefined;
}

export interface WithLockOptions extends HoldOptions {
  /**
   * Whether to re-enter the hold of an enclosing `withLock` for the same client and key; false by default. A re-entry
   * uses only the options `leaseMs`, `waitMs`, `retry` and `signal`.
   */
  readonly reentrant?: boolean | undefined;
}
