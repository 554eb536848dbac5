import type { Key } from "../../../lib/keys/key.ts";
import type { SeenHolder } from "../observation.ts";
import { type RawKey, toOwner } from "../raw-key.ts";

/**
 * Maximum size of an owner in bytes. Limited because each holder is sent to every open page of the console. Must match
 * redisson-owner.ts.
 */
const OWNER_BYTES_MAX = 1024;

/** Decodes members as owners. Returns `undefined` if any member is longer than `OWNER_BYTES_MAX`. */
export function parseOwners(members: readonly Buffer[]): Key[] | undefined {
  return members.every(({ length }) => length <= OWNER_BYTES_MAX) ? members.map(toOwner) : undefined;
}

/** A member of a sorted set, with its score. */
export interface ScoredMember {
  readonly member: Key;
  readonly score: number;
}

/**
 * Parses the members of a sorted set. Returns an empty list if the key is not a sorted set, or if the set or a member
 * is too large.
 */
export function parseScoredMembers({ type, content }: Pick<RawKey, "type" | "content">): ScoredMember[] {
  if (type !== "zset") return [];
  const members = parseOwners(content.filter((_, at) => at % 2 === 0)) ?? [];
  return members.map((member, at) => ({ member, score: Number(content[2 * at + 1]?.toString()) }));
}

/**
 * Whether a score can be a time: Unix milliseconds from 2001 to 2286. Other sorted sets rarely have scores in this
 * range.
 */
export function isTimeScore({ score }: ScoredMember): boolean {
  return score >= 1e12 && score < 1e13;
}

type Holders = readonly [SeenHolder, ...SeenHolder[]];

/**
 * Returns the members that have not expired. If all have expired, returns all members: the lock has ended, but its key
 * still exists.
 *
 * @param members `leftMs` is the remaining time of a member in ms; `null` if the member has no TTL
 */
export function selectLiving<Each extends { leftMs: number | null }>(
  members: readonly Each[],
): readonly Each[] {
  const alive = members.filter(({ leftMs }) => leftMs === null || leftMs > 0);
  return alive.length > 0 ? alive : members;
}

/** Sorts holders by token, because each renewal changes their order by score. Returns `undefined` for an empty list. */
export function sortHolders(holders: readonly SeenHolder[]): Holders | undefined {
  const [first, ...rest] = holders.toSorted((a, b) => (a.token < b.token ? -1 : 1));
  return first === undefined ? undefined : [first, ...rest];
}

/** Returns the longest remaining time of the members in ms; `null` if a member has no TTL or there are no members. */
export function findLastEndMs(members: readonly { leftMs: number | null }[]): number | null {
  const left = members.map(({ leftMs }) => leftMs ?? Number.POSITIVE_INFINITY);
  const longest = Math.max(...left);
  return Number.isFinite(longest) ? longest : null;
}
