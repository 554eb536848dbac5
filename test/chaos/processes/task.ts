import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { RedisLocation } from "../../../server/locks/backends/open-backend.ts";
import type { LockUnderTest } from "../locks-under-test.ts";

/** The properties that the tasks of all processes have in common. */
interface Task {
  readonly name: string;
  readonly epochNs: string;
  readonly journal: string;
}

/**
 * Access to locks through the library. `core` is the folder that contains `server` and `lib`, either of this project or
 * of a mutant.
 */
export interface LibraryAccess {
  readonly via: "library";
  readonly core: string;
  readonly where: RedisLocation;
}

export interface HttpAccess {
  readonly via: "http";
  readonly core: string;
  /** URLs of the API servers, in the order in which the client tries them. */
  readonly urls: readonly string[];
  readonly apiKey: string;
}

export interface WorkerTask extends Task {
  /** How the worker accesses locks. */
  readonly by: LibraryAccess | HttpAccess;
  readonly format: WritableFormat;
  readonly leaseMs: readonly [least: number, most: number];
  readonly locks: readonly LockUnderTest[];
  readonly contexts: number;
  readonly watchdog: "on" | "off";
  readonly seed: number;
  readonly resourcePort: number;
}

export interface ApiTask extends Task {
  readonly core: string;
  readonly redisUrl: string;
  readonly port: number;
  readonly apiKey: string;
}

/** A message that controls a running process. */
export type Order =
  | { readonly order: "stop" }
  /** `block`: blocks the event loop for `ms`. `clock`: sets the wall clock `ms` ahead of the true time. */
  | { readonly order: "block" | "clock"; readonly ms: number };
