import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { HoldKind } from "../history/entry.ts";

export interface AcquireRequest {
  /** Owner label. The same for all holds, so that it does not identify a hold. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly format: WritableFormat;
  /** Kind of the requested hold. A plain lock by default. */
  readonly kind?: HoldKind;
  /** Number of permits to acquire from a semaphore. */
  readonly permits?: number;
  readonly limit?: number;
  /** Whether the client renews the hold in the background. */
  readonly renew: boolean;
}

/** A client with which a worker acquires locks: the library or the HTTP client. Errors of the client have a `code`. */
export interface LockingClient {
  acquire(lock: string, wish: AcquireRequest & { readonly signal: AbortSignal }): Promise<HeldLock>;
  /** Returns the latch at `key`. Absent if the client does not support latches. */
  latch?(key: string): LatchUnderTest;
  close(): void;
}

/** A count-down latch of the library. */
export interface LatchUnderTest {
  /** Closes the latch with a count if it is open. @returns whether the latch was open */
  trySetCount(count: number): Promise<boolean>;
  /** Counts the latch down by one. @returns the remaining count */
  countDown(): Promise<number>;
  await(options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<void>;
}

/** A condition of a held lock. */
export interface ConditionUnderTest {
  /** Gives up the hold and waits for a signal, then resumes the hold. @returns whether the wait was signalled */
  await(options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<boolean>;
  signal(): Promise<boolean>;
  signalAll(): Promise<number>;
}

/** A hold of a lock. */
export interface HeldLock extends Attempts {
  readonly token: string;
  readonly fence: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly state: "held" | "jeopardy" | "waiting" | "releasing" | "released" | "lost";
  /** Aborts when the hold is lost. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Asserts that the hold is not lost. @throws if the hold is lost */
  assertHeld(): void;
  renew(): Promise<unknown>;
  /** Re-enters the hold. @throws if the hold is lost */
  reenter(): Promise<HeldLock>;
  /** Reads the status of the hold from the server. Absent in the library. @throws if the hold is lost */
  verify?(): Promise<void>;
  /** Downgrades a writer to a reader. @throws if the hold is lost */
  downgrade(): Promise<void>;
  /** Returns a condition of the lock. Absent in the HTTP client. */
  condition?(name: string): ConditionUnderTest;
  release(): Promise<Attempts & { readonly outcome: string; readonly count: number }>;
}

/**
 * The number of attempts of a call that was repeated with the same request ID. Absent if the first attempt received a
 * reply.
 */
export interface Attempts {
  readonly asked?: number;
}
