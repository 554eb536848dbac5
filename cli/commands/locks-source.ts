import { LIST_LIMIT_MAX, LockFilter, LockList, LockSort } from "../../lib/contract/list.ts";
import { type Lock, Lock as LockSchema } from "../../lib/contract/lock.ts";
import { encodeKeyPath, type Key } from "../../lib/keys/key.ts";
import type { ServerApi } from "../connection/server-api.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";

export interface LockQuery {
  readonly filter: string;
  readonly sort: string;
  /** Maximum number of locks to return. */
  readonly limit: number;
}

export interface FoundLocks {
  readonly locks: readonly Lock[];
  /** Number of locks that match the filter. */
  readonly total: number;
  /** Number of unlisted locks: possible locks that are listed only if the filter selects them. */
  readonly unlisted: number;
  /** Time at which the list was read, on the Redis clock, in Unix milliseconds. */
  readonly asOf: number;
  /** Sentences that explain why the list might be incomplete. */
  readonly warnings: readonly string[];
}

/** A source of locks for the command line: a server, or a Redis deployment without a server. */
export interface LocksSource {
  listLocks(query: LockQuery): Promise<FoundLocks>;
  readLock(key: Key): Promise<Lock>;
  close(): void;
}

/** Checks the filter and the sort order of a query. @throws CliError if either is invalid */
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
      return { locks, total: page.total, unlisted: page.unlisted, asOf: page.asOf, warnings: [] };
  }
}
