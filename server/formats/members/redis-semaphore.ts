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

/** A client's clock may be ahead of Redis's by so much. */
const AHEAD_MS = 60_000;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** What an app adds to it comes behind a dash. */
const IDENTIFIER = new RegExp(`^${UUID}(?:[-_].*)?$`, "s");
const PERMIT = new RegExp(`^(${UUID}(?:-.*)?)_(\\d{1,4})$`, "s");

interface Member extends ScoredMember {
  readonly leftMs: number | null;
}

/**
 * Its Semaphore and MultiSemaphore. A score is when its holder refreshed last, by the clock of its client; the time-out
 * is written nowhere but in the key's time to live, which the latest refresh has set. So everyone is taken to have the
 * same: a member ends as much before the key as its score is before the latest. The clocks cancel out.
 */
export function detectRedisSemaphore(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const scored = parseScoredMembers(raw);
  const confidence = how === "by_rule" ? "certain" : assessConfidence(raw, scored);
  if (confidence === undefined || !scored.every(isTimeScore)) return undefined;
  const latest = Math.max(...scored.map(({ score }) => score));
  const { remainingMs } = raw;
  const members = scored.map((each) => ({
    ...each,
    leftMs: remainingMs === null ? null : remainingMs - (latest - each.score),
  }));
  const holders = sortHolders(toHolders(selectLiving(members)));
  if (holders === undefined) return undefined;
  const known = { format: "redis-semaphore", candidates: [], kind: "semaphore" } as const;
  return { ...known, confidence, holders, remainingMs: findLastEndMs(members) };
}

function assessConfidence({ key, asOf }: RawKey, members: readonly ScoredMember[]): Confidence | undefined {
  const name = formatKey(key);
  if (!/(^|:)semaphore:/.test(name) || !members.every(({ member }) => IDENTIFIER.test(member)))
    return undefined;
  if (members.some(({ score }) => score > asOf + AHEAD_MS)) return undefined;
  return name.startsWith("semaphore:") ? "certain" : "likely";
}

/** A MultiSemaphore has a member `<id>_<i>` for each permit, i from 0 on. */
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
  // Not reservable: how many may hold it is written nowhere, so nobody can take all that is left.
  frees: { oneHolder: true, reservable: false, free: createScoredRelease("refresh") },
};
