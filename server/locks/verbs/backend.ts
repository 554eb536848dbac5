import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { OwnHold } from "../../formats/lock-requests.ts";
import type { OperatorVerbs } from "./verbs.ts";

/** What a client of the library stands on: the verbs, and renewals on connections of their own. */
export interface Backend {
  readonly verbs: OperatorVerbs;
  /** How a lock is written when nothing is said; as Redisson does by default. */
  readonly format?: WritableFormat;
  /**
   * Renews up to a hundred holds, each try within `tryMs`. Gives what remains of each in ms; null where it is gone,
   * undefined where that cannot be told.
   */
  renewMany(holds: readonly RenewableHold[], tryMs: number): Promise<RenewalResult[]>;
  /** Reports force-releases to the listener. Call it once: one subscription serves all holds of the client. */
  onForceRelease(listener: ForceReleaseListener): void;
  close(): void;
}

/** Learns of the holds of one client that operators release. */
export interface ForceReleaseListener {
  onRelease(token: string, fence: string): void;
  /** The subscription was made, at first or again. Releases before this moment may not have been reported. */
  onGap(): void;
}

/** A hold as it is renewed together with others. */
export interface RenewableHold extends OwnHold {
  readonly format: WritableFormat;
}

export type RenewalResult = number | null | undefined;
