import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { buildLockKeyPair, buildWakeChannel } from "../keys.ts";
import type { ForceReleaseParams } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { type ForceReleaseReply, parseForceReleaseReply } from "../script-replies.ts";
import { buildReleaseSignals, type ReleaseSignals } from "./release-signals.ts";

/** Redis ends a time to live up to this much after our timer. */
const EXPIRY_DELAY_MS = 50;

const forceReleaseScript = new Script<RedisArgument[], RedisArgument[], ForceReleaseReply>(
  new URL("force-release.lua", import.meta.url),
  parseForceReleaseReply,
);

const wakeScript = new Script<RedisArgument[], [], unknown>(
  new URL("wake.lua", import.meta.url),
  (reply) => reply,
);

/** Frees the lock of a library, or gives it to the reserved owner. */
export async function forceReleaseString(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  { by, reason, reservation }: ForceReleaseParams,
): Promise<ForceReleaseReply> {
  const { key } = seen;
  const { list, messages } = buildReleaseSignals(seen);
  const reply = await forceReleaseScript.run(
    redis,
    [...buildLockKeyPair(key), ...(list === undefined ? [] : [list])],
    [
      toRedisArgument(seen.holders[0].token),
      JSON.stringify({ by, reason }),
      buildWakeChannel(key),
      channel,
      reservation?.reservedMs ?? "",
      reservation?.owner ?? "",
      redis.publishesSharded ? "1" : "",
      ...messages.flat(),
    ],
  );
  if (reply.outcome === "released" && reservation !== undefined)
    scheduleWake(redis, key, list, reservation.reservedMs);
  return reply;
}

/**
 * Whoever is blocked on a list without a time limit hears nothing when a reservation ends. Told from here, as long as
 * this process lives; who waits with a limit looks again by itself.
 */
function scheduleWake(redis: Commands, key: Key, list: ReleaseSignals["list"], reservedMs: number): void {
  if (list === undefined) return;
  const wake = () => wakeScript.run(redis, [toRedisArgument(key), list], []).catch(() => undefined);
  setTimeout(wake, reservedMs + EXPIRY_DELAY_MS).unref();
}
