import type { ReleaseRequestListener } from "../../lib/client/release-requests.ts";
import type { WritableFormat } from "../../lib/contract/format.ts";
import type { LivenessState } from "../../lib/contract/liveness.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";

/** A held lock, acquired through a server or directly in Redis. */
export interface HeldLock {
  readonly holdId: string;
  /** Fencing token, a decimal string. */
  readonly fence: string;
  /** Aborted with an Error as its reason when the hold is lost. */
  readonly signal: AbortSignal;
  /** Returns the time until the end of the lease in milliseconds; 0 if the hold was lost or released. */
  remainingMs(): number;
  /** Declares that requests of operators to release the lock are read. */
  onReleaseRequested(listener: ReleaseRequestListener): void;
  /** `not_held`: the hold had already ended. @throws Error if the outcome is unknown */
  release(): Promise<"released" | "not_held">;
}

export interface LockRequest {
  readonly key: string;
  readonly leaseMs: number;
  /** How long to wait for a held lock, in milliseconds; Infinity for no limit. */
  readonly waitMs: number;
  readonly owner: string | undefined;
  readonly record: OwnerRecord;
  readonly format: WritableFormat | undefined;
  /** Cancels the wait. */
  readonly signal: AbortSignal;
}

/** Acquires locks and renews their leases. */
export interface LockSource {
  /** @throws LockHeldError if the lock was held for the whole wait; CliError */
  acquire(request: LockRequest): Promise<HeldLock>;
  close(): void;
}

/** What the holds of both lock clients have in common. */
interface ClientHold extends Omit<HeldLock, "release"> {
  release(): Promise<{ readonly outcome: "released" | "still_held" | "not_held" }>;
}

export function toHeldLock(hold: ClientHold): HeldLock {
  return {
    holdId: hold.holdId,
    fence: hold.fence,
    signal: hold.signal,
    remainingMs: () => hold.remainingMs(),
    onReleaseRequested: (listener) => hold.onReleaseRequested(listener),
    release: async () => ((await hold.release()).outcome === "not_held" ? "not_held" : "released"),
  };
}

/** The client that holds a lock. */
export interface LockHolder {
  readonly owner: string;
  /** Absent without a server, which watches the lock. */
  readonly liveness?: LivenessState;
  /** `null` if the lock has no TTL. */
  readonly remainingMs: number | null;
}

/** The lock was held by another client for the whole wait. */
export class LockHeldError extends Error {
  override name = "LockHeldError";

  constructor(
    /** `undefined` if it is unknown. */
    readonly holder: LockHolder | undefined,
  ) {
    super("the lock is held");
  }
}
