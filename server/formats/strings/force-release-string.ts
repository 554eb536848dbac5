import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { buildLockKeyPair, buildWakeChannel } from "../keys.ts";
import type { ForceReleaseParams } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { buildReleaseSignals, runOrRetryWithout } from "../release-signals.ts";
import { type ForceReleaseReply, parseForceReleaseReply } from "../script-replies.ts";
import { signalReservationEnd } from "./reservation-end.ts";

const forceReleaseScript = new Script<RedisArgument[], RedisArgument[], ForceReleaseReply>(
  new URL("force-release.lua", import.meta.url),
  parseForceReleaseReply,
);

/** Force-releases a string lock, or transfers it to the owner of the requested reservation. */
export async function forceReleaseString(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  { by, reason, reservation }: ForceReleaseParams,
): Promise<ForceReleaseReply> {
  const { key } = seen;
  const { keys, messages } = buildReleaseSignals(redis, key);
  const run = (list: readonly RedisArgument[]) =>
    forceReleaseScript.run(
      redis,
      [...buildLockKeyPair(key), ...list],
      [
        toRedisArgument(seen.holders[0].token),
        JSON.stringify({ by, reason }),
        buildWakeChannel(key),
        channel,
        reservation?.reservedMs ?? "",
        reservation?.owner ?? "",
        redis.publishesSharded ? "1" : "",
        ...messages,
      ],
    );
  const reply = await runOrRetryWithout(run, keys);
  if (reply.outcome === "released" && reservation !== undefined)
    signalReservationEnd(redis, key, reservation);
  return reply;
}
