import type { WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import type { OwnHold } from "../../formats/lock-requests.ts";
import type { OperatorVerbs } from "./contract/verbs.ts";

/** The backend of a library client: the verbs, and renewals on separate connections. */
export interface Backend {
  readonly verbs: OperatorVerbs;
  /** The format of new locks if the caller does not specify one; `redisson` by default. */
  readonly format?: WritableFormat;
  /**
   * Renews up to a hundred holds, each attempt within `tryMs`. Returns the remaining time of each hold in ms. The time
   * is `null` if the hold has ended, and `undefined` if the outcome is unknown.
   */
  renewMany(holds: readonly RenewableHold[], tryMs: number): Promise<RenewalResult[]>;
  /**
   * Subscribes a listener to the force-releases of the client's holds and to release requests for them. Call this
   * method at most once: a later call does not remove the earlier listener.
   */
  onForceRelease(listener: ForceReleaseListener): void;
  close(): void;
}

/** Receives the force-releases of a client's holds and the release requests for them. */
export interface ForceReleaseListener {
  onRelease(token: string, fence: string): void;
  /**
   * Called when an operator asks the client to release a hold, and again after each renewal until the client answers.
   */
  onReleaseRequested?(token: string, fence: string, request: ReleaseRequest): void;
  /** Called when the subscription starts or resumes. Force-releases before this call may have been missed. */
  onGap(): void;
}

/** A hold to renew with `Backend.renewMany`. */
export interface RenewableHold extends OwnHold {
  readonly format: WritableFormat;
  readonly kind?: WritableKind | undefined;
}

export type RenewalResult = number | null | undefined;
