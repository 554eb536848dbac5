import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import type { ForceReleaseParams } from "../lock-format.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { type ForceReleaseReply, parseForceReleaseReply } from "../script-replies.ts";

const createReleaseScript = (file: string) =>
  new Script<RedisArgument[], RedisArgument[], ForceReleaseReply>(
    new URL(file, import.meta.url),
    parseForceReleaseReply,
  );
const scoredScript = createReleaseScript("force-release-scored.lua");
const unscoredScript = createReleaseScript("force-release-unscored.lua");
const fieldsScript = createReleaseScript("force-release-fields.lua");
const jobsScript = createReleaseScript("force-release-jobs.lua");

export type ForceRelease = (
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
) => Promise<ForceReleaseReply>;

/**
 * Builds the arguments that all scripts share (channel, actor and reason, scope), and selects the holders to release.
 */
function buildCommonArguments(
  channel: string,
  seen: HeldObservation,
  { holder, by, reason, reservation }: ForceReleaseParams,
) {
  // A reservation requires that no other holder remains.
  const scope = holder === undefined || reservation !== undefined ? "all" : "some";
  const holders: readonly SeenHolder[] = holder === undefined ? seen.holders : [holder];
  return { holders, words: [channel, JSON.stringify({ by, reason }), scope] };
}

/** Returns the strings that a release compares: the holder's `stored` values or, if they are not set, its token. */
export function getStoredMembers({ stored, token }: SeenHolder): readonly Key[] {
  return stored ?? [token];
}

/**
 * Creates a function that force-releases holders in a sorted set.
 *
 * @param scores what a score means: the time at which the holder expires (`end`), or the time of its last refresh
 * @param exclusive the member that exists while the lock is exclusive, if the format has one
 */
export function createScoredRelease(scores: "end" | "refresh", exclusive = ""): ForceRelease {
  return (redis, channel, seen, ask) => {
    const { holders, words } = buildCommonArguments(channel, seen, ask);
    const members = holders.flatMap((holder) => {
      const stored = getStoredMembers(holder).map(toRedisArgument);
      return [toRedisArgument(holder.token), stored.length, ...stored];
    });
    const off = ask.reservation;
    const how = [scores, exclusive, off?.reservedMs ?? "", off?.owner ?? ""];
    return scoredScript.run(redis, [toRedisArgument(seen.key)], [...words, ...how, ...members]);
  };
}

export const forceReleaseUnscored: ForceRelease = (redis, channel, seen, ask) => {
  const { holders, words } = buildCommonArguments(channel, seen, ask);
  const members = holders.map(({ token }) => toRedisArgument(token));
  return unscoredScript.run(redis, [toRedisArgument(seen.key)], [...words, ...members]);
};

/**
 * Force-releases holders that are stored as fields of a hash.
 *
 * @param getFields returns the fields and values of one holder, alternating
 */
export function forceReleaseFields(
  ...[redis, channel, seen, ask, getFields]: [
    ...Parameters<ForceRelease>,
    getFields: (holder: SeenHolder) => readonly RedisArgument[],
  ]
): Promise<ForceReleaseReply> {
  const { holders, words } = buildCommonArguments(channel, seen, ask);
  return fieldsScript.run(
    redis,
    [toRedisArgument(seen.key)],
    [...words.slice(0, 2), ...holders.flatMap(getFields)],
  );
}

export interface JobKeys {
  /** The keys, in order: the hash, the digest, the info, the primed jobs, the queued jobs and both registries. */
  readonly keys: RedisArgument[];
  readonly version: "8" | "9";
  readonly digest: RedisArgument;
}

export function createJobsRelease(keysOf: (seen: HeldObservation) => JobKeys): ForceRelease {
  return (redis, channel, seen, ask) => {
    const { holders, words } = buildCommonArguments(channel, seen, ask);
    const { keys, version, digest } = keysOf(seen);
    const jobs = holders.flatMap((holder) => [
      toRedisArgument(holder.token),
      ...getStoredMembers(holder).map(toRedisArgument),
      holder.sinceMs ?? "",
    ]);
    return jobsScript.run(redis, keys, [...words, version, digest, ...jobs]);
  };
}
