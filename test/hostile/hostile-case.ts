import type { Redis } from "ioredis";
import type { ApiVersion } from "./servers/api-version.ts";
import type { ApiKeys } from "./servers/environment.ts";
import type { Sizes } from "./sizes.ts";

/** The servers, API clients and signals that a case uses. */
export interface CaseContext {
  readonly redis: Redis;
  readonly url: string;
  readonly version: ApiVersion;
  readonly sizes: Sizes;
  readonly keys: ApiKeys;
  /** Aborted once enough acquires have been measured. Attacks that do not end on their own stop then. */
  readonly enough: AbortSignal;
  /** Aborted at the deadline of the case or when a server has exited. All attacks stop then. */
  readonly over: AbortSignal;
  /** Adds the current memory of the given keys to the amount of planted data. */
  addPlanted(keys: readonly (string | Buffer)[]): Promise<void>;
  /** Waits until Lockkeeper lists at least `count` locks. */
  waitForLocks(count: number): Promise<void>;
}

/** An attack with data or requests that must not harm Redis, Lockkeeper or other locks. */
export interface HostileCase {
  readonly name: string;
  /** Number of the finding in the security review that the case reproduces. */
  readonly finding: string;
  /** States that the target may have during the case, in addition to `live`. */
  readonly allowedStates?: readonly string[];
  /** Writes data before the client starts. The effects of the data are measured. */
  plant?(context: CaseContext): Promise<void>;
  /**
   * Attacks the server while the client acquires locks.
   *
   * @returns descriptions of the faults
   */
  attack?(context: CaseContext): Promise<readonly string[]>;
}
