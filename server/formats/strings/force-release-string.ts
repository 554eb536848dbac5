import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { argumentOf, Script } from "../../redis/script.ts";
import { pairOf, wakeChannelOf } from "../keys.ts";
import type { FreeAsk } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { type ForceReleaseReply, forceReleaseReplyOf } from "../script-replies.ts";
import { type Signals, signalsOf } from "./release-signals.ts";

/** Redis ends a time to live up to this much after our timer. */
const LATE_MS = 50;

const freeScript = new Script<RedisArgument[], RedisArgument[], ForceReleaseReply>(
  new URL("force-release.lua", import.meta.url),
  forceReleaseReplyOf,
);

const wakeScript = new Script<RedisArgument[], [], unknown>(
  new URL("wake.lua", import.meta.url),
  (reply) => reply,
);

/** Frees the lock of a library, or gives it to the reserved owner. */
export async function freeString(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  { by, reason, holdOff }: FreeAsk,
): Promise<ForceReleaseReply> {
  const { key } = seen;
  const { list, messages } = signalsOf(seen);
  const reply = await freeScript.run(
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
  if (reply.outcome === "released" && holdOff !== undefined) wakeAfter(redis, key, list, holdOff.holdOffMs);
  return reply;
}

/**
 * Whoever is blocked on a list without a time limit hears nothing when a hold-off ends. Told from here, as long as
 * this process lives; who waits with a limit looks again by itself.
 */
function wakeAfter(redis: Commands, key: Key, list: Signals["list"], holdOffMs: number): void {
  if (list === undefined) return;
  const wake = () => wakeScript.run(redis, [argumentOf(key), list], []).catch(() => undefined);
  setTimeout(wake, holdOffMs + LATE_MS).unref();
}
