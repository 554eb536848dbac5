import { LIST_LIMIT_MAX, LockFilter, LockList, LockSort } from "../../lib/contract/list.ts";
import type { Health } from "../../lib/contract/live.ts";
import { type Lock, Lock as LockSchema } from "../../lib/contract/lock.ts";
import { encodeKeyPath, type Key } from "../../lib/keys/key.ts";
import { DEFAULT_LOCKABLE_PATTERNS, DEFAULT_WATCH_PATTERNS } from "../../server/config/config-file.ts";
import { createObservedNotALockError } from "../../server/locks/verbs/error-factories.ts";
import { requireReadable } from "../../server/locks/verbs/require-readable.ts";
import { parseSortOrder } from "../../server/watch/index/query-context.ts";
import type { RedisConnection } from "../connection/choose-connection.ts";
import { type DirectWatch, openDirectWatch } from "../connection/direct-watch.ts";
import type { ServerApi } from "../connection/server-api.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import type { Terminal } from "../output/terminal.ts";

export interface LockQuery {
  readonly filter: string;
  readonly sort: string;
  /** Maximum number of locks. */
  readonly limit: number;
}

export interface FoundLocks {
  readonly locks: readonly Lock[];
  /** Number of locks that match the filter. */
  readonly total: number;
  /** Number of possible locks that are left out unless the filter selects them. */
  readonly unlisted: number;
  /** What is missing from the list, in sentences. */
  readonly warnings: readonly string[];
}

/** Where locks are read: from a server, or from Redis without a server. */
export interface LocksSource {
  listLocks(query: LockQuery): Promise<FoundLocks>;
  readLock(key: Key): Promise<Lock>;
  close(): void;
}

/** @throws CliError if the filter or the order is invalid */
export function assertLockQuery({ filter, sort }: Pick<LockQuery, "filter" | "sort">): void {
  for (const [name, result] of [
    ["The filter", LockFilter.safeParse(filter)],
    ["--sort", LockSort.safeParse(sort)],
  ] as const) {
    if (!result.success)
      throw new CliError(`${name} is invalid: ${result.error.issues[0]?.message}.`, EXIT_CODES.failure);
  }
}

export function createServerSource(api: ServerApi): LocksSource {
  return {
    listLocks: (query) => listServerLocks(api, query),
    readLock: (key) =>
      api.read({ path: `/locks/${encodeKeyPath(key)}`, route: "/locks/{key}", schema: LockSchema }),
    close: () => undefined,
  };
}

async function listServerLocks(api: ServerApi, { filter, sort, limit }: LockQuery): Promise<FoundLocks> {
  const locks: Lock[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { filter, sort, limit: String(Math.min(limit - locks.length, LIST_LIMIT_MAX)), cursor };
    const page = await api.read({ path: "/locks", route: "/locks", query, schema: LockList });
    locks.push(...page.items);
    cursor = page.next;
    if (cursor === undefined || locks.length >= limit || page.items.length === 0)
      return { locks, total: page.total, unlisted: page.unlisted, warnings: [] };
  }
}

interface DirectOptions {
  /** Patterns of the keys to scan; `[]` to scan none, and `undefined` for those that a server watches by default. */
  readonly match: readonly string[] | undefined;
  readonly terminal: Terminal;
}

/** Scans Redis once. @throws CliError */
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

/** Formats the progress of a scan for the terminal. */
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
    warnings: listWarnings(watcher.health()),
  };
}

function listWarnings({ masters, unreadableKeys, leftOut = 0, oversizedKeys = 0 }: Health): string[] {
  const down = masters.filter(({ state }) => state === "down");
  const unread = unreadableKeys?.count ?? 0;
  return [
    ...down.map(({ name, detail }) =>
      `${name} does not respond; its locks are missing. ${detail ?? ""}`.trim(),
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
