import type { Health } from "../../lib/contract/live.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import { DEFAULT_LOCKABLE_PATTERNS, DEFAULT_WATCH_PATTERNS } from "../../server/config/config-file.ts";
import { requireReadable } from "../../server/formats/registry/require-readable.ts";
import { createObservedNotALockError } from "../../server/locks/verbs/error-factories.ts";
import { parseSortOrder } from "../../server/watch/index/query-context.ts";
import type { RedisConnection } from "../connection/choose-connection.ts";
import { type DirectWatch, openDirectWatch } from "../connection/direct-watch.ts";
import type { Terminal } from "../output/terminal.ts";
import type { FoundLocks, LockQuery, LocksSource } from "./locks-source.ts";

interface DirectOptions {
  /**
   * Patterns of the keys to scan. An empty list disables the scan. `undefined` selects the patterns that a server
   * watches by default.
   */
  readonly match: readonly string[] | undefined;
  readonly terminal: Terminal;
}

/**
 * Connects to Redis, waits for the first scan of the keys, and returns a source that reads the locks.
 *
 * @throws CliError if Redis cannot be reached or does not support locks, or if too few masters respond
 */
export async function openDirectSource(
  connection: RedisConnection,
  { match, terminal }: DirectOptions,
): Promise<LocksSource> {
  const watch = match ?? [...DEFAULT_WATCH_PATTERNS, ...DEFAULT_LOCKABLE_PATTERNS];
  const direct = await openDirectWatch(connection, {
    watch,
    lockable: DEFAULT_LOCKABLE_PATTERNS,
    onProgress: (health) => terminal.showProgress(formatProgress(health)),
  });
  terminal.clearProgress();
  return {
    listLocks: (query) => listDirectLocks(direct, query),
    readLock: (key) => readDirectLock(direct, key),
    close: () => direct.close(),
  };
}

/** Formats the progress of connecting to Redis and scanning the keys, for the terminal. */
export function formatProgress({ scan, locks, masters }: Health): string {
  if (scan === undefined) return masters.length === 0 ? "Connecting to Redis…" : "Reading locks…";
  const of = scan.keys === null ? "" : ` of ${scan.keys.toLocaleString("en")}`;
  return `Scanned ${scan.scanned.toLocaleString("en")}${of} keys, ${locks.toLocaleString("en")} locks found…`;
}

async function listDirectLocks(
  { watcher }: DirectWatch,
  { filter, sort, limit }: LockQuery,
): Promise<FoundLocks> {
  const order = parseSortOrder(sort);
  await watcher.index.prepareQuery(filter, order);
  const { holds, total } = watcher.index.queryPage(filter, order, { offset: 0 }, limit);
  return {
    locks: holds.map((hold) => watcher.locks.toLock(hold)),
    total,
    unlisted: watcher.index.countUnlisted(),
    asOf: Math.round(watcher.clock.now()),
    warnings: listWarnings(watcher.health()),
  };
}

function listWarnings({ masters, unreadableKeys, leftOut = 0, oversizedKeys = 0 }: Health): string[] {
  const down = masters.filter(({ state }) => state === "down");
  const unread = unreadableKeys?.count ?? 0;
  return [
    ...down.map(({ name, detail }) =>
      `${name} is not responding; its locks are missing. ${detail ?? ""}`.trim(),
    ),
    ...(unread === 0 ? [] : [`${unread} keys could not be read; \`lockkeeper doctor\` lists them.`]),
    ...(leftOut === 0 ? [] : [`${leftOut} locks did not fit into memory.`]),
    ...(oversizedKeys === 0 ? [] : [`${oversizedKeys} keys have names that are too long for a lock.`]),
  ];
}

async function readDirectLock({ watcher }: DirectWatch, key: Key): Promise<Lock> {
  const { observation: seen, hold } = await watcher.readKey(key);
  const observation = requireReadable(seen);
  if (observation.state === "not_a_lock") throw createObservedNotALockError(observation);
  if (hold !== undefined) return watcher.locks.toLock(hold);
  const { waiters, votes } = observation.state === "free" ? observation : {};
  return watcher.locks.toFreeLock(key, observation.asOf, waiters, votes);
}
