import type { WritableFormat } from "../../../lib/contract/format.ts";

export interface AcquireRequest {
  /** The same for all: no hold may be told from another one by it. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly format: WritableFormat;
  /** Whether it is renewed for as long as it is held. */
  readonly renew: boolean;
}

/** What a worker asks for locks: the library, or an app's own client of the API. What fails has a `code`. */
export interface LockingClient {
  acquire(lock: string, wish: AcquireRequest & { readonly signal: AbortSignal }): Promise<HeldLock>;
  close(): void;
}

/** A lock as its holder has it. */
export interface HeldLock extends Attempts {
  readonly token: string;
  readonly fence: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly state: "held" | "jeopardy" | "waiting" | "releasing" | "released" | "lost";
  /** Ends when it is lost. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** @throws when it is lost */
  assertHeld(): void;
  renew(): Promise<unknown>;
  /** Enters it once more. @throws when it is lost */
  reenter(): Promise<HeldLock>;
  /** Asks whether it still stands, where there is somebody to ask. @throws when it is lost */
  verify?(): Promise<void>;
  release(): Promise<Attempts & { readonly outcome: string; readonly count: number }>;
}

/** Of a call that its caller repeats under one id: how often it was asked, when the first answers were lost. */
export interface Attempts {
  readonly asked?: number;
}
