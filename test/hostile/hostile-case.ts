import type { Redis } from "ioredis";
import type { ApiVersion } from "./servers/api-version.ts";
import type { ApiKeys } from "./servers/environment.ts";
import type { Sizes } from "./sizes.ts";

/** The environment of a case. */
export interface CaseContext {
  readonly redis: Redis;
  readonly url: string;
  readonly version: ApiVersion;
  readonly sizes: Sizes;
  readonly keys: ApiKeys;
  /** Aborted once enough acquires were measured. An attack without its own end stops then. */
  readonly enough: AbortSignal;
  /** Aborted at the deadline, and when a server has ended. Every attack stops then. */
  readonly over: AbortSignal;
  /** Adds the memory that these keys take now, in bytes, to what was planted. */
  addPlanted(keys: readonly (string | Buffer)[]): Promise<void>;
  /** Waits until Lockkeeper lists at least `count` locks. */
  waitForLocks(count: number): Promise<void>;
}

/** Data or requests that must not harm Redis, Lockkeeper or any lock. */
export interface HostileCase {
  readonly name: string;
  /** The review finding that the case reproduces. */
  readonly finding: string;
  /** States of the target that the case may cause besides `live`. */
  readonly allowedStates?: readonly string[];
  /** Writes data before the client begins. Its effects are measured. */
  plant?(context: CaseContext): Promise<void>;
  /** Runs while the client acquires locks. Returns what was wrong. */
  attack?(context: CaseContext): Promise<readonly string[]>;
}
