import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { RedisLocation } from "../../../server/locks/backends/open-backend.ts";
import type { LockUnderTest } from "../locks-under-test.ts";

/** What every process is told when it starts. */
interface Task {
  readonly name: string;
  readonly epochNs: string;
  readonly journal: string;
}

/** `core`: the folder that holds `server` and `lib`: this project, or a copy that was broken on purpose. */
export interface LibraryAccess {
  readonly door: "library";
  readonly core: string;
  readonly where: RedisLocation;
}

export interface HttpAccess {
  readonly door: "http";
  readonly core: string;
  /** Of the API servers, the one to begin with first. */
  readonly urls: readonly string[];
  readonly apiKey: string;
}

export interface WorkerTask extends Task {
  /** How it comes to its locks. */
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

/** What a process is told while it runs. */
export type Order =
  | { readonly order: "stop" }
  /** `block`: its event loop stands still. `clock`: its wall clock is ahead by this, of what it truly is. */
  | { readonly order: "block" | "clock"; readonly ms: number };
