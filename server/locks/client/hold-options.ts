import type { LockGroup } from "../../../lib/client/lock-group.ts";
import type { TimestampUnit, WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { OnDeadlock } from "../../formats/wait-declaration.ts";
import type { Retry } from "./acquire-with-retry.ts";
import type { Hold } from "./hold.ts";

/** Options of `acquire`. */
export interface HoldOptions {
  /** Lease in milliseconds; 30,000 by default. The watchdog renews it after a third of that time. */
  readonly leaseMs?: number | undefined;
  /** How long to wait in milliseconds; 0 by default, Infinity for no limit. */
  readonly waitMs?: number | undefined;
  /**
   * Up to 16 holds that you do not release before the wait ends. The holds of the client's enclosing `withLock` calls
   * are added automatically. A Lockkeeper server uses these holds to detect deadlocks.
   */
  readonly holding?: readonly Pick<Hold, "key" | "token">[] | undefined;
  /**
   * `report` by default: a deadlock is only reported. `refuse`: in a deadlock, the youngest wait with this option ends
   * with a DeadlockError. Requires a Lockkeeper server that watches this Redis.
   */
  readonly onDeadlock?: OnDeadlock | undefined;
  /** Retries at intervals instead of waiting in the queue. */
  readonly retry?: Retry | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
  /** A label for display; `<hostname>:<pid>` by default. */
  readonly owner?: string | undefined;
  /** The format in which the lock is stored in Redis; `redisson` by default, and always `token` on a quorum. */
  readonly format?: WritableFormat | undefined;
  /**
   * `lock` by default. `fair`: waiters acquire the lock in the order in which they began to wait. `read` and `write`: a
   * read/write lock, which several readers or one writer can hold. `semaphore`: several clients share `limit` permits.
   * `plain_semaphore`: permits that Java applications can also acquire through Redisson's `RSemaphore`. Every kind
   * except `lock` requires the `redisson` format.
   */
  readonly kind?: WritableKind | undefined;
  /**
   * The number of permits, which become the `count` of the hold. All of them are acquired, or none. Only for the kinds
   * of semaphore; 1 by default.
   */
  readonly permits?: number | undefined;
  /**
   * The total number of permits; only for the kinds of semaphore. If the semaphore does not exist, it is created with
   * this total. An existing semaphore of the kind `semaphore` must have the same total. Without `limit`, the semaphore
   * must exist.
   */
  readonly limit?: number | undefined;
  /** Whether a reader gives way to writers that began to wait earlier; true by default. Only for the kind `read`. */
  readonly yieldsToWriters?: boolean | undefined;
  /** Unit of the deadline; only for the format `timestamp`, `ms` by default. */
  readonly unit?: TimestampUnit | undefined;
  /** Grace period in milliseconds: time after an expired lease in which no other client can acquire the lock. */
  readonly graceMs?: number | undefined;
  /** Minimum hold time in milliseconds, which applies even if the lock is released earlier. */
  readonly minHoldMs?: number | undefined;
  /** Service, host, purpose and more, shown in the console. */
  readonly record?: OwnerRecord | undefined;
  /** Whether the watchdog renews the lease; true by default. */
  readonly renew?: boolean | undefined;
  /** Called when a renewal has failed or is late. The hold is still guaranteed until its deadline. */
  readonly onJeopardy?: ((hold: Hold) => void) | undefined;
}

/** Options of `acquireAll` and `withLocks`. */
export interface AcquireAllOptions
  extends Omit<
    HoldOptions,
    "holding" | "onDeadlock" | "kind" | "permits" | "limit" | "yieldsToWriters" | "onJeopardy"
  > {
  /** Called when a renewal of one hold has failed or is late. The group is still guaranteed until its deadline. */
  readonly onJeopardy?: ((group: LockGroup<Hold>) => void) | undefined;
}

export interface WithLockOptions extends HoldOptions {
  /**
   * Whether to re-enter the hold of the enclosing `withLock` for the same client and key. Of the other options, only
   * `leaseMs`, `waitMs`, `retry` and `signal` then apply. False by default.
   */
  readonly reentrant?: boolean | undefined;
}
