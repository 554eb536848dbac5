import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { RedisLocation } from "../../../server/locks/backends/open-backend.ts";
import type { LockUnderTest } from "../locks-under-test.ts";

/** The common part of each process's task. */
interface Task {
  readonly name: string;
  readonly epochNs: string;
  readonly journal: string;
}

/** `core`: the folder that contains `server` and `lib`: this project, or a mutant. */
export interface LibraryAccess {
  readonly door: "library";
  readonly core: string;
  readonly where: RedisLocation;
}

export interface HttpAccess {
  readonly door: "http";
  readonly core: string;
  /** The API servers, starting with the one to use first. */
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

/** An order to a running process. */
export type Order =
  | { readonly order: "stop" }
  /** `block`: blocks its event loop. `clock`: sets its wall clock ahead of the true time. */
  | { readonly order: "block" | "clock"; readonly ms: number };
