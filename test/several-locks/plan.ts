import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";

/** The task of one worker process, which is passed as JSON. */
export interface WorkerPlan {
  /** Root folder of the lock core to test, which may be a mutant. */
  readonly core: string;
  readonly locks: RedisLocation;
  /** URL of the Redis server of the protected resource and the marks. It may be the server of the locks. */
  readonly resource: string;
  readonly keys: readonly string[];
  /** Number of keys that each round acquires together. With 1, workers acquire single locks. */
  readonly keysEach: number;
  readonly workers: number;
  readonly name: string;
  readonly seconds: number;
  /** Time limit of a round in ms. A round that exceeds it is deadlocked or starved. */
  readonly waitMs: number;
}

/** The results of one worker process. */
export interface WorkerReport {
  readonly rounds: number;
  /** Number of rounds of the worker with the fewest rounds. */
  readonly leastRounds: number;
  /** Time that each round waited for its locks, in ms. */
  readonly waits: readonly number[];
  readonly errors: readonly string[];
}

/** Redis hash of the resource: the owner that is using each key. */
export const BUSY = "proof:busy";
/** Redis hash of marks: the keys of each owner as JSON, while the owner is working. */
export const WORKING = "proof:working";
/** Redis set of the owners that have begun to release their locks. */
export const RELEASING = "proof:releasing";
/** Redis list of violations that the resource detected. */
export const VIOLATIONS = "proof:violations";

export const LEASE_MS = 10_000;
