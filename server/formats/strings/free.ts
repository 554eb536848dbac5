import type { Commands } from "../../redis/commands.ts";
import { type RedisArgument, Script } from "../../redis/script.ts";
import { argumentOf, pairOf, wakeChannelOf } from "../keys.ts";
import type { FreeAsk } from "../known-format.ts";
import type { HeldObservation } from "../observation.ts";
import { type ForceReleaseReply, forceReleaseReplyOf } from "../reply.ts";
import { signalsOf } from "./signals.ts";

const freeScript = new Script<RedisArgument[], RedisArgument[], ForceReleaseReply>(
  new URL("force-release.lua", import.meta.url),
  forceReleaseReplyOf,
);

/** Frees the lock of a library, or gives it to the reserved owner. */
export function freeString(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  { by, reason, holdOff }: FreeAsk,
): Promise<ForceReleaseReply> {
  const { key } = seen;
  const { list, messages } = signalsOf(seen);
  return freeScript.run(
    redis,
    [...pairOf(key), ...(list === undefined ? [] : [list])],
    [
      argumentOf(seen.holders[0].owner),
      JSON.stringify({ by, reason }),
      wakeChannelOf(key),
      channel,
      holdOff?.holdOffMs ?? "",
      holdOff?.owner ?? "",
      redis.publishesSharded ? "1" : "",
      ...messages.flat(),
    ],
  );
}
