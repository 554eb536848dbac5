import type { Confidence } from "../../../lib/contract/format.ts";
import { formatKey, type Key } from "../../../lib/keys/key.ts";
import type { DetectionBasis, LockFormat } from "../lock-format.ts";
import { createForeignHolder, type DetectedLock, type SeenHolder } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { createScoredRelease } from "./force-release-members.ts";
import {
  findLastEndMs,
  isTimeScore,
  parseScoredMembers,
  type ScoredMember,
  selectLiving,
  sortHolders,
} from "./scored-members.ts";

/** Maximum time, in ms, by which a client's clock may be ahead of the Redis clock. */
const AHEAD_MS = 60_000;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Matches a UUID, optionally followed by a dash or an underscore and more text from the application. */
const IDENTIFIER = new RegExp(`^${UUID}(?:[-_].*)?$`, "s");
const PERMIT = new RegExp(`^(${UUID}(?:-.*)?)_(\\d{1,4})$`, "s");

interface Member extends ScoredMember {
  readonly leftMs: number | null;
}

/**
 * Detects a Semaphore or MultiSemaphore of redis-semaphore. Each score is the time of a holder's last refresh on the
 * client's clock. The timeout is not stored, but each refresh sets the key's TTL to the timeout. All holders are
 * assumed to have the same timeout. A member then expires earlier than the key by the difference between its score and
 * the latest score. This difference does not depend on the offset between the clients' clocks and the Redis clock.
 */
export function detectRedisSemaphore(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const scored = parseScoredMembers(raw);
  const confidence = how === "by_rule" ? "certain" : assessConfidence(raw, scored);
  if (confidence === undefined || !scored.every(isTimeScore)) return undefined;
  const latest = Math.max(...scored.map(({ score }) => score));
  const { remainingMs } = raw;
  const members = scored.map((each) => ({
    leftMs: remainingMs === null ? null : remainingMs - (latest - each.score),
    ...each,
  }));
  const holders = sortHolders(toHolders(selectLiving(members)));
  if (holders === undefined) return undefined;
  const known = { format: "redis-semaphore", candidates: [], kind: "semaphore" } as const;
  return { confidence, holders, remainingMs: findLastEndMs(members), ...known };
}

function assessConfidence({ key, asOf }: RawKey, members: readonly ScoredMember[]): Confidence | undefined {
  const name = formatKey(key);
  if (!/(^|:)semaphore:/.test(name) || !members.every(({ member }) => IDENTIFIER.test(member)))
    return undefined;
  if (members.some(({ score }) => score > asOf + AHEAD_MS)) return undefined;
  return name.startsWith("semaphore:") ? "certain" : "likely";
}

/**
 * Combines members into holders. A MultiSemaphore has a member `<id>_<i>` for each permit of a holder, with i starting
 * at 0.
 */
function toHolders(members: readonly Member[]): SeenHolder[] {
  const byId = new Map<Key, Member[]>();
  for (const each of members) {
    const id = PERMIT.exec(each.member)?.[1] ?? each.member;
    byId.set(id, [...(byId.get(id) ?? []), each]);
  }
  return [...byId].flatMap(([id, its]) =>
    its.every((_, at) => its.some(({ member }) => member === `${id}_${at}`))
      ? [toHolder(id, its)]
      : its.map((each) => toHolder(each.member, [each])),
  );
}

function toHolder(owner: Key, members: readonly Member[]): SeenHolder {
  const ownRemainingMs = findLastEndMs(members);
  const stored = members.map(({ member }) => member);
  return createForeignHolder(owner, { count: members.length, ownRemainingMs, stored });
}

export const REDIS_SEMAPHORE: LockFormat = {
  name: "redis-semaphore",
  types: ["zset"],
  detect: detectRedisSemaphore,
  // Not reservable: Redis does not store the number of permits, so a reservation cannot acquire all of them.
  releaser: { oneHolder: true, reservable: false, forceRelease: createScoredRelease("refresh") },
};
