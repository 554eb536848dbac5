import type { Confidence } from "../../../lib/contract/format.ts";
import { type Key, textOfKey } from "../../../lib/keys/key.ts";
import type { How, KnownFormat } from "../lock-format.ts";
import { type Recognised, type SeenHolder, strangerOf } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { freesScored } from "./force-release-members.ts";
import { inOrder, isTime, lastEndOf, living, type Scored, scoredOf } from "./scored-members.ts";

/** A client's clock may be ahead of Redis's by so much. */
const AHEAD_MS = 60_000;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** What an app adds to it comes behind a dash. */
const IDENTIFIER = new RegExp(`^${UUID}(?:[-_].*)?$`, "s");
const PERMIT = new RegExp(`^(${UUID}(?:-.*)?)_(\\d{1,4})$`, "s");

interface Member extends Scored {
  readonly leftMs: number | null;
}

/**
 * Its Semaphore and MultiSemaphore. A score is when its holder refreshed last, by the clock of its client; the time-out
 * is written nowhere but in the key's time to live, which the latest refresh has set. So everyone is taken to have the
 * same: a member ends as much before the key as its score is before the latest. The clocks cancel out.
 */
export function recogniseSemaphore(raw: RawKey, how: How): Recognised | undefined {
  const scored = scoredOf(raw);
  const confidence = how === "by_rule" ? "certain" : confidenceOf(raw, scored);
  if (confidence === undefined || !scored.every(isTime)) return undefined;
  const latest = Math.max(...scored.map(({ score }) => score));
  const { remainingMs } = raw;
  const members = scored.map((each) => ({
    ...each,
    leftMs: remainingMs === null ? null : remainingMs - (latest - each.score),
  }));
  const holders = inOrder(holdersOf(living(members)));
  if (holders === undefined) return undefined;
  const known = { format: "redis-semaphore", candidates: [], kind: "semaphore" } as const;
  return { ...known, confidence, holders, remainingMs: lastEndOf(members) };
}

function confidenceOf({ key, asOf }: RawKey, members: readonly Scored[]): Confidence | undefined {
  const name = textOfKey(key);
  if (!/(^|:)semaphore:/.test(name) || !members.every(({ member }) => IDENTIFIER.test(member)))
    return undefined;
  if (members.some(({ score }) => score > asOf + AHEAD_MS)) return undefined;
  return name.startsWith("semaphore:") ? "certain" : "likely";
}

/** A MultiSemaphore has a member `<id>_<i>` for each permit, i from 0 on. */
function holdersOf(members: readonly Member[]): SeenHolder[] {
  const byId = new Map<Key, Member[]>();
  for (const each of members) {
    const id = PERMIT.exec(each.member)?.[1] ?? each.member;
    byId.set(id, [...(byId.get(id) ?? []), each]);
  }
  return [...byId].flatMap(([id, its]) =>
    its.every((_, at) => its.some(({ member }) => member === `${id}_${at}`))
      ? [holderOf(id, its)]
      : its.map((each) => holderOf(each.member, [each])),
  );
}

function holderOf(owner: Key, members: readonly Member[]): SeenHolder {
  const ownRemainingMs = lastEndOf(members);
  const stored = members.map(({ member }) => member);
  return strangerOf(owner, { count: members.length, ownRemainingMs, stored });
}

export const REDIS_SEMAPHORE: KnownFormat = {
  name: "redis-semaphore",
  types: ["zset"],
  recognise: recogniseSemaphore,
  // Not held off: how many may hold it is written nowhere, so nobody can take all that is left.
  frees: { oneHolder: true, holdOff: false, free: freesScored("refresh") },
};
