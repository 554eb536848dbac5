import type { TimestampUnit } from "../../lib/contract/format.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { ReleaseSignals } from "./release-signals.ts";

/** Default fair wait time in ms, the same as the default of `fairLockWaitTimeout` in Redisson. */
export const FAIR_WAIT_MS = 300_000;

/** The common fields of client requests that acquire, re-enter, renew or release holds, or that use conditions. */
export interface LockRequest {
  /** The permanent id of the calling API key or operator; `undefined` for a client of the library. */
  readonly principal?: string | undefined;
  /** The request id: 1 to 128 visible ASCII characters. Redis does not execute a request with the same id again. */
  readonly id: string;
  /** A digest that distinguishes different requests with the same id. `-` if the caller did not choose the id. */
  readonly digest: string;
  /** Time in ms since the first attempt; `undefined` for the first attempt. */
  readonly retryMs?: number | undefined;
}

/** The fields that identify a hold in the scripts. */
export interface HoldIdentity {
  readonly token: string;
  readonly fence: string;
}

/** How an acquire waits if it is refused. The client is then counted and listed as a waiter. */
export interface WaitRequest {
  readonly waitMs: number;
  /** When the client began to wait, in Unix ms: the `asOf` of its first refusal. `undefined` for the first attempt. */
  readonly sinceMs: number | undefined;
  /** The maximum number of waiters for one key. */
  readonly waitersMax: number;
  /** Identifies the client or instance. Each attempt shows that all waiters with the same `clientId` are alive. */
  readonly clientId?: string | undefined;
  /**
   * Time in ms after a release for which the client gives way to the longest waiter. `undefined` if the client does not
   * give way.
   */
  readonly giveWayMs?: number | undefined;
}

/** A request to start a new hold of a lock, or of permits of a semaphore. */
export interface AcquireRequest extends LockRequest {
  readonly token: string;
  /** The label shown for the holder. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly record: OwnerRecord | undefined;
  /** The interval in ms at which the client will renew; `undefined` if the client stated no interval. */
  readonly renewEveryMs?: number | undefined;
  /** Whether the client reads release requests. */
  readonly receivesReleaseRequests?: boolean | undefined;
  /** The grace period in ms. */
  readonly graceMs: number;
  /** The minimum hold time in ms. */
  readonly minHoldMs: number;
  /** The unit of the deadline in a `timestamp` lock. */
  readonly unit: TimestampUnit;
  /**
   * Identifies the client in the queue of a fair lock: `<uuid>:<number>`, as in Redisson. The same for all attempts of
   * a request. Defaults to the token.
   */
  readonly waiterId?: string | undefined;
  /** The fair wait time in ms; `FAIR_WAIT_MS` by default. Only for a fair lock. */
  readonly fairWaitMs?: number | undefined;
  /** Whether a reader gives way to writers that began to wait earlier. Only for the `read` kind. */
  readonly yieldsToWriters?: boolean | undefined;
  /** The number of permits to acquire; only for a semaphore. */
  readonly permits?: number | undefined;
  /** The total number of permits of the semaphore. If `undefined`, the semaphore must already exist. */
  readonly limit?: number | undefined;
  /** The declaration of a waiter, as `formatDeclaration` returns it. Only for a request that waits. */
  readonly declared?: string | undefined;
  /**
   * Id of the condition waiter whose hold to restore. The count, lease, grace period and owner come from the record of
   * that waiter. Only for plain and fair locks in the `redisson` format.
   */
  readonly restores?: string | undefined;
}

/** A request to convert a write-lock hold to a read-lock hold. */
export interface DowngradeRequest extends HoldIdentity {
  readonly principal?: string | undefined;
  /** The token of the new read-lock hold. */
  readonly reader: string;
}

/** A request to renew or re-enter a hold. */
export interface RenewRequest extends LockRequest, HoldIdentity {
  /** The lease in ms; `undefined` keeps the lease of the hold. */
  readonly leaseMs: number | undefined;
  /** Whether the client receives release requests after this renewal. Set only for renewals. */
  readonly receivesReleaseRequests?: boolean | undefined;
}

/** A reservation: `owner` holds the lock for `reservedMs` milliseconds, during which no client can acquire the lock. */
export interface Reservation {
  readonly owner: string;
  readonly reservedMs: number;
}

/** A request to release a hold. */
export interface ReleaseRequest extends LockRequest {
  readonly token: string;
  /** The fencing token of the hold; `undefined` matches any hold with this token. */
  readonly fence: string | undefined;
  /** The request id of an acquire to withdraw. If Redis receives the acquire later, Redis refuses it. */
  readonly acquiredBy?: string;
  /** `one` (default): decreases the count of the hold by one. `all`: ends the hold regardless of its count. */
  readonly counts?: "one" | "all";
  readonly reservation?: Reservation | undefined;
  /**
   * Which clients the release wakes; `waiters` by default. A hand-over uses `none`, because the next acquire on the
   * connection is sent for a waiter in this process.
   */
  readonly wakes?: "waiters" | "none";
  /** The signals that wake waiters that use other libraries. */
  readonly signals?: ReleaseSignals | undefined;
  /** The fair wait time in ms, as in `AcquireRequest`. */
  readonly fairWaitMs?: number | undefined;
}

/** A request to force-release the hold of another client. */
export interface ForceReleaseRequest {
  /**
   * The string in the lock that identifies the holder: the token of a Lockkeeper hold, or the owner string that another
   * library wrote.
   */
  readonly token: string;
  readonly fence: string | null;
  readonly by: string;
  readonly reason: string;
  readonly reservation?: Reservation | undefined;
}

/** A request to extend the hold of another client. */
export interface ExtendRequest {
  readonly token: Key;
  readonly fence: string | null;
  readonly leaseMs: number;
  readonly by: string;
  readonly reason: string;
}

/** A hold of this process that the watchdog renews. */
export interface OwnHold extends HoldIdentity {
  readonly key: Key;
  readonly leaseMs: number;
}

/** A hold that is renewed in a batch. */
export interface HoldRenewal extends HoldIdentity {
  readonly key: Key;
  /** The lease in ms; defaults to the lease of the hold. */
  readonly leaseMs?: number | undefined;
}

/** A hold's fencing token and count, as agreed on by a majority of the quorum. */
export interface AgreedHold {
  readonly token: string;
  /** The fencing token that this master issued. */
  readonly from: string;
  /** The fencing token that the majority agreed on. */
  readonly fence: string;
  readonly count: number;
}
