import { setTimeout as sleep } from "node:timers/promises";
import type { Health } from "../../lib/contract/live.ts";
import { StartupError } from "../../server/errors/startup-error.ts";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { Journal } from "../../server/history/journal.ts";
import type { Masters } from "../../server/redis/master.ts";
import { openMasters } from "../../server/redis/masters/open-masters.ts";
import { probeTarget } from "../../server/targets/probe-target.ts";
import { Watcher } from "../../server/watch/watcher.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { explainLocalError } from "../output/local-error.ts";
import type { RedisConnection } from "./choose-connection.ts";

/** Name of the target in JSON output. A server with a single Redis deployment uses the same name. */
const TARGET = "default";
const LOCKS_MAX = 1_000_000;
const CHECK_INTERVAL_MS = 20;
/** Time in ms within which a master must connect before it counts as down. */
const CONNECT_MS = 3000;

/** A read-only connection to a Redis deployment, with the index of its locks. */
export interface DirectWatch {
  readonly watcher: Watcher;
  readonly masters: Masters;
  /** Name and version of the Redis server, such as "Redis 7.0.15". With several masters, describes one master. */
  readonly server: string;
  close(): void;
}

export interface DirectWatchOptions {
  /** Patterns of the keys to read. An empty list disables the scan. */
  readonly watch: readonly string[];
  readonly lockable: readonly string[];
  /** Called about every 20 ms until the first scan is complete. */
  onProgress(health: Health): void;
}

/**
 * Connects to Redis and waits for the first scan of the keys. The index does not contain the locks of masters that do
 * not respond.
 *
 * @throws CliError if Redis cannot be reached or does not support locks, or if too few masters respond
 */
export async function openDirectWatch(
  { where, setting }: RedisConnection,
  { watch, lockable, onProgress }: DirectWatchOptions,
): Promise<DirectWatch> {
  const { name: server } = await probeTarget(where, setting).catch((error: unknown) => {
    throw error instanceof StartupError ? explainLocalError(error) : error;
  });
  const masters = openMasters(where, "reads");
  const watcher = new Watcher(
    {
      target: TARGET,
      watch,
      notifications: "off",
      readOnly: true,
      rules: new FormatRules([], lockable),
      locksMax: LOCKS_MAX,
    },
    masters,
    new Journal(),
  );
  const close = () => {
    watcher.stop();
    masters.close();
  };
  try {
    watcher.start();
    await waitForFirstScan(watcher, onProgress);
    return { watcher, masters, server, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Waits until every master has been scanned or has timed out. @throws CliError if too few masters respond */
async function waitForFirstScan(watcher: Watcher, onProgress: (health: Health) => void): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const health = watcher.health();
    const isConnecting =
      performance.now() - startedAt < CONNECT_MS &&
      (health.masters.length === 0 || health.masters.some(({ state }) => state === "down"));
    const isScanning = health.masters.some(({ state }) => state === "catching_up");
    if (!isConnecting && !isScanning) {
      if (health.state !== "down") return;
      throw new CliError(health.detail ?? "Redis is not responding.", EXIT_CODES.unavailable);
    }
    onProgress(health);
    await sleep(CHECK_INTERVAL_MS);
  }
}
