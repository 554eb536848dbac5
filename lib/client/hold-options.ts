import type { OwnerRecord, TimestampUnit, WritableFormat, WritableKind } from "./wire-types.ts";

/** Options of `acquire` and `withLock`. */
export interface AcquireOptions {
  /** Lease in milliseconds; 30,000 by default. Renewed after a third of it. */
  readonly leaseMs?: number | undefined;
  /** How long to wait for a held lock, in milliseconds; 0 by default, Infinity for no limit. */
  readonly waitMs?: number | undefined;
  /** A label for people; the name of the API key by default. */
  readonly owner?: string | undefined;
  /** Service, host, purpose and more, shown in the console. */
  readonly record?: OwnerRecord | undefined;
  /** How the lock is stored in Redis; by default as the server decides, which is `redisson` except on a quorum. */
  readonly format?: WritableFormat | undefined;
  /**
   * `lock` by default. `fair`: waiters acquire the lock in the order in which they began to wait. All clients of a key must use
   * the same kind.
   */
  readonly kind?: WritableKind | undefined;
  /** Unit of the deadline; only for the format `timestamp`. */
  readonly unit?: TimestampUnit | undefined;
  /** How long no client can acquire the lock after its lease has expired, in milliseconds. */
  readonly graceMs?: number | undefined;
  /** How long the lock stays held even if it is released earlier, in milliseconds. */
  readonly minHoldMs?: number | undefined;
  /** `automatic` by default: renewed until it is released or lost. `manual`: only by `hold.renew()`. */
  readonly renewal?: "automatic" | "manual" | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `acquireAll` and `withLocks`, which acquire plain locks. */
export type AcquireAllOptions = Omit<AcquireOptions, "kind">;

export interface RenewOptions {
  /** The minimum time that the hold lasts from now, in milliseconds; by default its own lease. */
  readonly leaseMs?: number | undefined;
}

export interface ReleaseOptions {
  /** How long no client can acquire the lock after this release, in milliseconds. */
  readonly reservedMs?: number | undefined;
}

export interface Released {
  /** `still_held`: the count decreased. `not_held`: the hold had already ended. */
  readonly outcome: "released" | "still_held" | "not_held";
  /** Remaining re-entrancy count. */
  readonly count: number;
}
