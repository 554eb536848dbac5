import { type GroupMember, LockGroup } from "../../lib/client/lock-group.ts";
import type { ReleaseRequestListener } from "../../lib/client/release-requests.ts";
import type { WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import type { LivenessState } from "../../lib/contract/liveness.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";
import type { OnDeadlock } from "../../server/formats/wait-declaration.ts";

/** The facts of one hold. */
export interface HeldFacts {
  readonly key: string;
  readonly holdId: string;
  /** Fencing token, a decimal string. */
  readonly fence: string;
}

/** One or more locks that are held together, acquired through a server or directly in Redis. */
export interface HeldLock {
  /** In the order of the requested keys. */
  readonly holds: readonly HeldFacts[];
  /** Aborted with an Error as its reason when a hold is lost. */
  readonly signal: AbortSignal;
  /** Returns the time until the end of the earliest lease in milliseconds; 0 if a hold was lost or released. */
  remainingMs(): number;
  /**
   * Calls the listener when an operator requests the release of a lock, and declares that this client reads release
   * requests.
   */
  onReleaseRequested(listener: ReleaseRequestListener): void;
  /** Releases all holds; `not_held` if one had already ended. @throws Error if the outcome is unknown */
  release(): Promise<"released" | "not_held">;
}

export interface LockRequest {
  /** The keys of the locks, which are acquired together or not at all. */
  readonly keys: readonly string[];
  readonly leaseMs: number;
  /** How long to wait for a held lock, in milliseconds; Infinity for no limit. */
  readonly waitMs: number;
  readonly owner: string | undefined;
  readonly record: OwnerRecord;
  readonly format: WritableFormat | undefined;
  /** Only with a single key. */
  readonly kind: WritableKind | undefined;
  /** Only with a kind of semaphore. */
  readonly permits: number | undefined;
  /** The total number of permits, only for a semaphore. */
  readonly limit: number | undefined;
  /** The `holdId`s that are not released before the wait ends. Only with a single key. */
  readonly holding: readonly string[];
  /** What happens if the wait becomes part of a deadlock. Only with a single key. */
  readonly onDeadlock: OnDeadlock | undefined;
  /** Cancels the wait. */
  readonly signal: AbortSignal;
}

/** Acquires locks and renews their leases. */
export interface LockSource {
  /** @throws LockHeldError if the lock was held for the whole wait; CliError for other failures */
  acquire(request: LockRequest): Promise<HeldLock>;
  close(): void;
}

/** The members that the holds of both lock clients have in common. */
interface ClientHold extends GroupMember, HeldFacts {
  readonly key: string;
  onReleaseRequested(listener: ReleaseRequestListener): void;
  release(): Promise<{ readonly outcome: "released" | "still_held" | "not_held" }>;
}

interface ClientGroup extends Omit<HeldLock, "release"> {
  release(): Promise<readonly { readonly outcome: "released" | "still_held" | "not_held" }[]>;
}

/** The options of a client, which has its own type for holds that a waiter declares. */
interface AcquireOptions<Holding> extends Omit<LockRequest, "keys" | "holding"> {
  readonly holding: readonly Holding[] | undefined;
}
type AcquireAllOptions = Omit<LockRequest, "keys" | "kind" | "permits" | "limit" | "holding" | "onDeadlock">;

interface LockingClient<Holding> {
  acquire(key: string, options: AcquireOptions<Holding>): Promise<ClientHold>;
  acquireAll(keys: readonly string[], options: AcquireAllOptions): Promise<ClientGroup>;
}

/** Acquires one lock or several. */
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
  // Older servers have no route for several locks.
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

/** The client that holds a lock. */
export interface LockHolder {
  readonly owner: string;
  /** Absent without a server, because only a server observes the lock. */
  readonly liveness?: LivenessState;
  /** `null` if the lock has no TTL. */
  readonly remainingMs: number | null;
}

/** The permits of a semaphore. */
export interface Permits {
  readonly available: number;
  /** `null` for a plain semaphore, which does not store it. */
  readonly total: number | null;
}

/** One of the locks was held by another client for the whole wait. */
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
