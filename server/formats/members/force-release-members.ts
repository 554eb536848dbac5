import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { argumentOf, Script } from "../../redis/script.ts";
import type { FreeAsk } from "../lock-format.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { type ForceReleaseReply, forceReleaseReplyOf } from "../script-replies.ts";

const script = (file: string) =>
  new Script<RedisArgument[], RedisArgument[], ForceReleaseReply>(
    new URL(file, import.meta.url),
    forceReleaseReplyOf,
  );
const freeScored = script("force-release-scored.lua");
const freeUnscored = script("force-release-unscored.lua");
const freeJobs = script("force-release-jobs.lua");

type Free = (
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: FreeAsk,
) => Promise<ForceReleaseReply>;

/** Who, why, and how far it goes: the arguments that the scripts have in common, and the holders that are freed. */
function commonOf(channel: string, seen: HeldObservation, { holder, by, reason, holdOff }: FreeAsk) {
  // Nobody is kept off while others have it.
  const scope = holder === undefined || holdOff !== undefined ? "all" : "some";
  const holders: readonly SeenHolder[] = holder === undefined ? seen.holders : [holder];
  return { holders, words: [channel, JSON.stringify({ by, reason }), scope] };
}

/** What a holder has in the key. */
export function storedOf({ stored, owner }: SeenHolder): readonly Key[] {
  return stored ?? [owner];
}

/** @param exclusive the member that is there as long as the lock is exclusive, where the format has one */
export function freesScored(scores: "end" | "refresh", exclusive = ""): Free {
  return (redis, channel, seen, ask) => {
    const { holders, words } = commonOf(channel, seen, ask);
    const members = holders.flatMap((holder) => {
      const stored = storedOf(holder).map(argumentOf);
      return [argumentOf(holder.owner), stored.length, ...stored];
    });
    const off = ask.holdOff;
    const how = [scores, exclusive, off?.holdOffMs ?? "", off?.owner ?? ""];
    return freeScored.run(redis, [argumentOf(seen.key)], [...words, ...how, ...members]);
  };
}

export const freesUnscored: Free = (redis, channel, seen, ask) => {
  const { holders, words } = commonOf(channel, seen, ask);
  const owners = holders.map(({ owner }) => argumentOf(owner));
  return freeUnscored.run(redis, [argumentOf(seen.key)], [...words, ...owners]);
};

export interface JobKeys {
  /** The hash itself, its digest, what is told of it, who is about to lock it, who waits, and both registries. */
  readonly keys: RedisArgument[];
  readonly version: "8" | "9";
  readonly digest: RedisArgument;
}

export function freesJobs(keysOf: (seen: HeldObservation) => JobKeys): Free {
  return (redis, channel, seen, ask) => {
    const { holders, words } = commonOf(channel, seen, ask);
    const { keys, version, digest } = keysOf(seen);
    const jobs = holders.flatMap((holder) => [
      argumentOf(holder.owner),
      ...storedOf(holder).map(argumentOf),
      holder.sinceMs ?? "",
    ]);
    return freeJobs.run(redis, keys, [...words, version, digest, ...jobs]);
  };
}
