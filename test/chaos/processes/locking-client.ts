import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { HoldKind } from "../history/entry.ts";

export interface AcquireRequest {
  /** The same for all holds, so that none can be identified by it. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly format: WritableFormat;
  /** A plain lock by default. */
  readonly kind?: HoldKind;
  /** The number of permits to acquire from a semaphore. */
  readonly permits?: number;
  readonly limit?: number;
  /** Whether it is renewed for as long as it is held. */
  readonly renew: boolean;
}

/** The client with which a worker acquires locks: the library, or a client of the API. Its errors have a `code`. */
export interface LockingClient {
  acquire(lock: string, wish: AcquireRequest & { readonly signal: AbortSignal }): Promise<HeldLock>;
  /** Absent if the client does not support latches. */
  latch?(key: string): LatchUnderTest;
  close(): void;
}

/** A count-down latch of the library. */
export interface LatchUnderTest {
  /** @returns whether it was open */
  trySetCount(count: number): Promise<boolean>;
  /** @returns the remaining count */
  countDown(): Promise<number>;
  await(options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<void>;
}

/** A condition of a held lock. */
export interface ConditionUnderTest {
  /** @returns whether it was signalled */
  await(options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<boolean>;
  signal(): Promise<boolean>;
  signalAll(): Promise<number>;
}

/** A lock as its holder has it. */
export interface HeldLock extends Attempts {
  readonly token: string;
  readonly fence: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly state: "held" | "jeopardy" | "waiting" | "releasing" | "released" | "lost";
  /** Aborts when the hold is lost. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Asserts that the hold is not lost. @throws if it is lost */
  assertHeld(): void;
  renew(): Promise<unknown>;
  /** Re-enters the hold. @throws if it is lost */
  reenter(): Promise<HeldLock>;
  /** Asks the server whether the hold exists; only over HTTP. @throws if it is lost */
  verify?(): Promise<void>;
  /** Turns a writer into a reader. @throws if the hold is lost */
  downgrade(): Promise<void>;
  /** Returns a condition of the lock; only in the library. */
  condition?(name: string): ConditionUnderTest;
  release(): Promise<Attempts & { readonly outcome: string; readonly count: number }>;
}

/** The number of attempts of a call that is repeated under the same id, if the first answers were lost. */
export interface Attempts {
  readonly asked?: number;
}
