import { type GroupMember, LockGroup } from "../../lib/client/lock-group.ts";
import type { ReleaseRequestListener } from "../../lib/client/release-requests.ts";
import type { WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import type { LivenessState } from "../../lib/contract/liveness.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";
import type { OnDeadlock } from "../../server/formats/wait-declaration.ts";

/** Key, hold id and fencing token of one hold, as passed to the command in `LOCKKEEPER_LOCKS`. */
export interface HeldFacts {
  readonly key: string;
  readonly holdId: string;
  /** Fencing token, a decimal string. */
  readonly fence: string;
}

/** One or more locks that are held together, acquired through a server or directly in Redis. */
export interface HeldLock {
  /** The holds, in the same order as the requested keys. */
  readonly holds: readonly HeldFacts[];
  /** Aborted when a hold is lost, with an `Error` as the reason. */
  readonly signal: AbortSignal;
  /** Returns the time in milliseconds until the first of the leases ends; 0 if a hold was lost or released. */
  remainingMs(): number;
  /**
   * Calls the listener when an operator requests the release of a lock. Registering the listener renews the holds once,
   * after which operators can send requests.
   *
   * @throws LostError if a hold was lost
   */
  onReleaseRequested(listener: ReleaseRequestListener): void;
  /**
   * Releases all holds.
   *
   * @returns `not_held` if at least one hold had already ended
   * @throws Error if the outcome is unknown
   */
  release(): Promise<"released" | "not_held">;
}

export interface LockRequest {
  /** The keys of the locks. Either all locks are acquired or none. */
  readonly keys: readonly string[];
  readonly leaseMs: number;
  /** Maximum time to wait for a held lock, in milliseconds; Infinity for no limit. */
  readonly waitMs: number;
  readonly owner: string | undefined;
  readonly record: OwnerRecord;
  readonly format: WritableFormat | undefined;
  /** The kind of lock. Used only with a single key. */
  readonly kind: WritableKind | undefined;
  /** The number of permits to acquire. Used only for semaphores. */
  readonly permits: number | undefined;
  /** The total number of permits. Used only for semaphores. */
  readonly limit: number | undefined;
  /**
   * The `holdId`s of holds that the caller does not release before the wait ends, for deadlock detection. Used only
   * with a single key.
   */
  readonly holding: readonly string[];
  /** Whether a deadlock is reported or ends the wait. Used only with a single key. */
  readonly onDeadlock: OnDeadlock | undefined;
  /** Cancels the wait. */
  readonly signal: AbortSignal;
}

/** A client that acquires locks through a server or directly in Redis, and renews their leases. */
export interface LockSource {
  /** @throws LockHeldError if a lock was held for the whole wait; CliError for other errors with a known error code */
  acquire(request: LockRequest): Promise<HeldLock>;
  close(): void;
}

/** The members that the holds of `LockkeeperClient` and `LockClient` have in common. */
interface ClientHold extends GroupMember, HeldFacts {
  readonly key: string;
  onReleaseRequested(listener: ReleaseRequestListener): void;
  release(): Promise<{ readonly outcome: "released" | "still_held" | "not_held" }>;
}

interface ClientGroup extends Omit<HeldLock, "release"> {
  release(): Promise<readonly { readonly outcome: "released" | "still_held" | "not_held" }[]>;
}

/** Options for `acquire`. Each client has its own type for the holds that a waiter declares (`Holding`). */
interface AcquireOptions<Holding> extends Omit<LockRequest, "keys" | "holding"> {
  readonly holding: readonly Holding[] | undefined;
}
type AcquireAllOptions = Omit<LockRequest, "keys" | "kind" | "permits" | "limit" | "holding" | "onDeadlock">;

interface LockingClient<Holding> {
  acquire(key: string, options: AcquireOptions<Holding>): Promise<ClientHold>;
  acquireAll(keys: readonly string[], options: AcquireAllOptions): Promise<ClientGroup>;
}

/** Acquires one or more locks with a client. With several keys, ignores options that apply only to a single key. */
export async function acquireLocks<Holding>(
  client: LockingClient<Holding>,
  keys: readonly string[],
  options: AcquireOptions<Holding>,
): Promise<HeldLock> {
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const { leaseMs, waitMs, owner, record, format, signal } = options;
    return toHeldLock(await client.acquireAll(keys, { leaseMs, waitMs, owner, record, format, signal }));
  }
  // Does not use `acquireAll`, because older servers do not have the route for several locks.
  return toHeldLock(new LockGroup([await client.acquire(key, options)]));
}

function toHeldLock(group: ClientGroup): HeldLock {
  return {
    holds: group.holds.map(({ key, holdId, fence }) => ({ key, holdId, fence })),
    signal: group.signal,
    remainingMs: () => group.remainingMs(),
    onReleaseRequested: (listener) => group.onReleaseRequested(listener),
    release: async () =>
      (await group.release()).some(({ outcome }) => outcome === "not_held") ? "not_held" : "released",
  };
}

/** The holder of a lock, as shown to the user. */
export interface LockHolder {
  readonly owner: string;
  /** Absent if the lock was acquired without a server or the server did not return the liveness. */
  readonly liveness?: LivenessState;
  /** Time until the lock expires, in milliseconds; `null` if the lock has no TTL. */
  readonly remainingMs: number | null;
}

/** The permits of a semaphore. */
export interface Permits {
  readonly available: number;
  /** `null` for a plain semaphore, which does not store the total. */
  readonly total: number | null;
}

/** Thrown if one of the locks was held by other clients for the whole wait. */
export class LockHeldError extends Error {
  override name = "LockHeldError";

  constructor(
    readonly key: string,
    /** The holder of the lock, or the permits of a semaphore; `undefined` if unknown. */
    readonly holder: LockHolder | Permits | undefined,
  ) {
    super("the lock is held");
  }
}
