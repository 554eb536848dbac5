import type { WritableFormat } from "../../../lib/contract/format.ts";

export interface AcquireRequest {
  /** The same for all holds, so that none can be identified by it. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly format: WritableFormat;
  /** Whether the hold is renewed while it is held. */
  readonly renew: boolean;
}

/** The client with which a worker acquires locks: the library, or a client of the API. Its errors have a `code`. */
export interface LockingClient {
  acquire(lock: string, wish: AcquireRequest & { readonly signal: AbortSignal }): Promise<HeldLock>;
  close(): void;
}

/** A lock from the view of its holder. */
export interface HeldLock extends Attempts {
  readonly token: string;
  readonly fence: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly state: "held" | "jeopardy" | "releasing" | "released" | "lost";
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
  release(): Promise<Attempts & { readonly outcome: string; readonly count: number }>;
}

/** The number of attempts of a call that is repeated under the same id, if the first answers were lost. */
export interface Attempts {
  readonly asked?: number;
}
