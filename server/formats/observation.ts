import type { Key } from "../../lib/contract/key.ts";
import type { FormatName, OwnerRecord } from "../../lib/contract/lock.ts";

/** One holder as Redis tells it. Facts of our companion are present only while they belong to this hold. */
export interface SeenHolder {
  readonly owner: string;
  readonly count: number;
  readonly fence: string | null;
  readonly sinceMs: number | null;
  readonly leaseMs: number | null;
  readonly record: OwnerRecord | undefined;
  /** By how much its own end comes before the lock's: the grace, and what a deadline is rounded by. */
  readonly marginMs: number;
  /** Number of our last change to this hold; 0 for a foreign one. */
  readonly seq: number;
}

/** What one look at a key showed. */
export type Observation =
  | { readonly state: "free"; readonly key: Key; readonly asOf: number }
  | { readonly state: "unreadable"; readonly key: Key; readonly why: string }
  | { readonly state: "not_a_lock"; readonly key: Key; readonly asOf: number; readonly type: string }
  | {
      readonly state: "held";
      readonly key: Key;
      readonly asOf: number;
      readonly format: FormatName;
      readonly kind: "lock";
      readonly confidence: "certain";
      readonly holders: readonly [SeenHolder, ...SeenHolder[]];
      /** null: no expiry. */
      readonly remainingMs: number | null;
    };

/** What a look showed that Redis answered. */
export type Answered = Exclude<Observation, { state: "unreadable" }>;

export type HeldObservation = Extract<Observation, { state: "held" }>;
