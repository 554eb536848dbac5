import { formatKey, type Key } from "../../../lib/keys/key.ts";
import { toRedisArgument } from "../../redis/script.ts";
import type { LockFormat } from "../lock-format.ts";
import { createForeignHolder, type DetectedLock, type SeenHolder } from "../observation.ts";
import { type RawKey, toOwner } from "../raw-key.ts";
import { type ForceRelease, forceReleaseFields } from "./force-release-members.ts";
import { sortHolders } from "./scored-members.ts";

/**
 * Matches the name of the result hash of a huey instance. With the default storage, this hash also contains the locks.
 */
const RESULTS = /(?:^|:)huey\.results\.(.+)$/s;
const LOCK = ".lock.";

/**
 * Detects the locks that huey's `lock_task` creates with the default storage. Each lock is a field named
 * `<name>.lock.<lock>` in the hash of task results, and has no owner. Lockkeeper does not read the TTLs of fields.
 */
export function detectHueyLocks(raw: RawKey): DetectedLock | undefined {
  const [, results] = raw.type === "hash" ? (RESULTS.exec(formatKey(raw.key)) ?? []) : [];
  if (results === undefined) return undefined;
  const holders: SeenHolder[] = [];
  for (let at = 0; at < raw.content.length; at += 2) {
    const [field, value] = raw.content.slice(at, at + 2).map(toOwner);
    if (field === undefined || value === undefined || !isLockField(field, results)) continue;
    holders.push(createForeignHolder(field, { stored: [value] }));
  }
  const sorted = sortHolders(holders);
  if (sorted === undefined) return undefined;
  const known = { format: "huey", candidates: [], kind: "multi", confidence: "likely" } as const;
  return { holders: sorted, remainingMs: raw.remainingMs, ...known };
}

/**
 * Whether the field is a lock. huey removes all characters except letters, digits and underscores from the name of the
 * hash.
 */
function isLockField(field: Key, results: string): boolean {
  const name = field.slice(0, Math.max(0, field.indexOf(LOCK)));
  return name !== "" && (name === results || name.replace(/\W/g, "") === results);
}

const forceReleaseLocks: ForceRelease = (redis, channel, seen, ask) =>
  forceReleaseFields(redis, channel, seen, ask, ({ token, stored = [] }) => [
    toRedisArgument(token),
    toRedisArgument(stored[0] ?? ""),
  ]);

export const HUEY_LOCKS: LockFormat = {
  name: "huey",
  types: ["hash"],
  detect: detectHueyLocks,
  // Not reservable: huey deletes the field without comparing it.
  releaser: { oneHolder: true, reservable: false, forceRelease: forceReleaseLocks },
};
