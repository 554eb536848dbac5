import type { ReleaseRequest } from "../../../../lib/contract/holds/release-request.ts";
import type { HoldRef } from "../../../formats/hold-id.ts";

/** The caller of a verb. Verbs check that the hold belongs to this caller. */
export interface HoldCaller {
  /**
   * The permanent id of the API key or operator. Only this principal can renew, release or re-enter its holds.
   * `undefined` for a client of the library, which needs only the token.
   */
  readonly principal?: string | undefined;
}

/** A hold, with the caller of a verb on that hold. */
export interface VerbHold extends HoldRef, HoldCaller {
  /**
   * The label of the hold; defaults to the token. If a release also reserves the lock, the reservation uses this label.
   */
  readonly owner?: string | undefined;
}

/** A hold that was granted, renewed, re-entered, downgraded or verified. */
export interface Grant extends HoldRef {
  /** The label of the hold. */
  readonly owner: string;
  /** Re-entrancy count, or number of permits of a semaphore. */
  readonly count: number;
  readonly leaseMs: number;
  /**
   * Remaining lease when Redis replied, in ms. The client's deadline is this long after the client sent the request.
   */
  readonly remainingMs: number;
  /** Time on the Redis clock when Redis replied, in Unix milliseconds. */
  readonly asOf: number;
  /** The most recent request to release the hold; `undefined` if there is none. */
  readonly releaseRequested?: ReleaseRequest | undefined;
}

/**
 * The outcome of a release. `still_held`: the count was decreased but is still above 0. `not_held`: the hold had
 * already ended.
 */
export interface Released {
  readonly outcome: "released" | "still_held" | "not_held";
  /** The count that remains after the release. */
  readonly count: number;
  readonly asOf: number;
}

/** A grant, and a function that withdraws it. Call the function if the grant cannot reach the caller. */
export interface AcquiredGrant {
  readonly grant: Grant;
  /** Whether the hold was granted earlier for the same request id. */
  readonly isReplayed?: boolean;
  abandon(): void;
}

/**
 * The holds of several locks that were granted together, and a function that withdraws them. Call the function if the
 * holds cannot be returned to the caller.
 */
export interface AcquiredGroup {
  /** The grants, in the same order as the requested keys. */
  readonly grants: readonly Grant[];
  /** Whether all holds were granted earlier for the same request id; always false on a quorum. */
  readonly isReplayed: boolean;
  abandon(): void;
}
