import type { WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import type { OwnHold } from "../../formats/lock-requests.ts";
import type { OperatorVerbs } from "./contract/verbs.ts";

/** The backend of a library client: the verbs, and renewals on separate connections. */
export interface Backend {
  readonly verbs: OperatorVerbs;
  /** The format of new locks if none is given; `redisson` by default. */
  readonly format?: WritableFormat;
  /**
   * Renews up to a hundred holds, each attempt within `tryMs`. Returns the remaining time of each hold in ms. The time
   * is `null` if the hold has ended, and `undefined` if the outcome is unknown.
   */
  renewMany(holds: readonly RenewableHold[], tryMs: number): Promise<RenewalResult[]>;
  /**
   * Subscribes a listener to the force-releases and release requests of all holds of the client. Call this method at
   * most once: a later call does not remove the earlier listener.
   */
  onForceRelease(listener: ForceReleaseListener): void;
  close(): void;
}

/** Receives the force-releases and the release requests of a client's holds. */
export interface ForceReleaseListener {
  onRelease(token: string, fence: string): void;
  /**
   * Called when an operator asks the client to release a hold, and again after each renewal until the client answers.
   */
  onReleaseRequested?(token: string, fence: string, request: ReleaseRequest): void;
  /** Called when the subscription starts or resumes. Earlier force-releases may not have been reported. */
  onGap(): void;
}

/** A hold to renew with `Backend.renewMany`. */
export interface RenewableHold extends OwnHold {
  readonly format: WritableFormat;
  readonly kind?: WritableKind | undefined;
}

export type RenewalResult = number | null | undefined;
