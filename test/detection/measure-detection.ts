import type { Key } from "../../lib/keys/key.ts";
import { DEFAULT_LOCKABLE_PATTERNS, DEFAULT_WATCH_PATTERNS } from "../../server/config/config-file.ts";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { getReleaseTerms } from "../../server/formats/registry/release-terms.ts";
import type { TestRedis } from "../support/test-redis.ts";
import { startTestWatcher } from "../support/test-watcher.ts";

/** The locks that a watcher detected in a Redis database. */
export interface DetectionFigures {
  /** Number of detected locks of any confidence. */
  readonly detected: number;
  /** Locks in the default list. */
  readonly listed: readonly Key[];
  /** Locks that an operator can release without naming a format. */
  readonly releasable: readonly Key[];
  /** Time until every key was read once, in milliseconds. */
  readonly readyMs: number;
}

export const DEFAULT_PATTERNS = [...DEFAULT_WATCH_PATTERNS, ...DEFAULT_LOCKABLE_PATTERNS];
/** Maximum time to read all keys in milliseconds, sufficient for 200,000 keys on a busy machine. */
const READY_MS_MAX = 600_000;
const RULES = new FormatRules([], DEFAULT_LOCKABLE_PATTERNS);

/**
 * Watches the given patterns with the default lockable patterns until all keys have been read, and returns the detected
 * locks.
 */
export async function measureDetection(
  { url }: Pick<TestRedis, "url">,
  watch: readonly string[],
): Promise<DetectionFigures> {
  const startedAt = performance.now();
  const { watcher, stop } = await startTestWatcher(url, { watch, rules: RULES }, READY_MS_MAX);
  const readyMs = performance.now() - startedAt;
  try {
    const holds = [...watcher.index.keys()].flatMap((key) => watcher.index.get(key) ?? []);
    const releasable = holds.filter(({ seen }) => getReleaseTerms(seen).may === "yes");
    return {
      ...{ detected: holds.length, readyMs },
      listed: holds.filter(({ isListed }) => isListed).map(({ key }) => key),
      releasable: releasable.map(({ key }) => key),
    };
  } finally {
    stop();
  }
}

/** Counts the keys by shape, starting with the most frequent shape. */
export function countByShape(keys: readonly Key[], shapes: ReadonlyMap<Key, string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const shape = shapes.get(key) ?? "a textbook lock";
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
