import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { OwnHold } from "../../formats/lock-writer.ts";
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
  /**
   * Calls `onRelease` with the token and the fence of each hold of this client that an operator released. One
   * subscription serves all holds.
   */
  onForceRelease(onRelease: (token: string, fence: string) => void): void;
  close(): void;
}

/** A hold as it is renewed together with others. */
export interface RenewableHold extends OwnHold {
  readonly format: WritableFormat;
}

export type RenewalResult = number | null | undefined;
