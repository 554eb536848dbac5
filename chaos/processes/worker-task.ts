import type { SpokenFormat } from "../../lib/contract/format.ts";
import type { Where } from "../../server/locks/backend.ts";

/** What a worker is told when it starts. */
export interface WorkerTask {
  readonly name: string;
  readonly where: Where;
  /** The folder that holds `server/locks`: this project, or a copy that was broken on purpose. */
  readonly core: string;
  readonly format: SpokenFormat;
  readonly leaseMs: readonly [least: number, most: number];
  readonly locks: readonly string[];
  readonly contexts: number;
  readonly watchdog: "on" | "off";
  readonly seed: number;
  readonly epochNs: string;
  readonly journal: string;
  readonly resourcePort: number;
}

/** What a worker is told while it runs. */
export type WorkerOrder =
  | { readonly order: "stop" }
  /** `block`: its event loop stands still. `clock`: its wall clock is ahead by this, of what it truly is. */
  | { readonly order: "block" | "clock"; readonly ms: number };
