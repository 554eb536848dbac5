import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";

/** The work of one process of workers, passed to it as JSON. */
export interface WorkerPlan {
  /** The folder of the lock core, which may be a mutant. */
  readonly core: string;
  readonly locks: RedisLocation;
  /** The Redis of the protected resource and of the marks, which may be the one of the locks. */
  readonly resource: string;
  readonly keys: readonly string[];
  /** How many keys each round acquires; 1 acquires single locks. */
  readonly keysEach: number;
  readonly workers: number;
  readonly name: string;
  readonly seconds: number;
  /** Time limit of a round in ms. A longer round is deadlocked or starved. */
  readonly waitMs: number;
}

/** The results of one process of workers. */
export interface WorkerReport {
  readonly rounds: number;
  /** Rounds of the worker with the fewest rounds. */
  readonly leastRounds: number;
  /** The wait of each round for its locks, in ms. */
  readonly waits: readonly number[];
  readonly errors: readonly string[];
}

/** Hash of the resource: key -> owner that works with it. */
export const BUSY = "proof:busy";
/** Hash of marks: owner -> its keys as JSON, while it works. */
export const WORKING = "proof:working";
/** Set of owners that release their locks. */
export const RELEASING = "proof:releasing";
/** List of violations that the resource found. */
export const VIOLATIONS = "proof:violations";

export const LEASE_MS = 10_000;
