import type { FormatName, WritableFormat } from "../../../lib/contract/format.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import type { ForceReleaseParams, LockFormat } from "../lock-format.ts";
import { LOCK_WRITERS } from "../lock-writer.ts";
import { HUEY_LOCKS } from "../members/huey.ts";
import { MEDALLION_READERS, MEDALLION_SEMAPHORE } from "../members/medallion.ts";
import { REDIS_SEMAPHORE } from "../members/redis-semaphore.ts";
import { SIDEKIQ } from "../members/sidekiq.ts";
import { SYMFONY } from "../members/symfony.ts";
import type { HeldObservation, LockType } from "../observation.ts";
import { REDISSON } from "../redisson/redisson-format.ts";
import { buildReleaseSignals, runOrRetryWithout } from "../release-signals.ts";
import type { ForceReleaseReply } from "../script-replies.ts";
import { BULL_JOB_DETAILS } from "../strings/bull-job.ts";
import { forceReleaseString } from "../strings/force-release-string.ts";
import { signalReservationEnd } from "../strings/reservation-end.ts";
import { forceReleaseDeadline, STRING_LOCK_FORMATS } from "../strings/string-formats.ts";
import { detectDeadline, detectToken } from "../writable-strings.ts";

/**
 * Creates a format that Lockkeeper writes. Its `force-release.lua` releases holds of Lockkeeper and of other clients.
 */
function createWritableFormat(
  name: WritableFormat,
  types: readonly LockType[],
  detect: LockFormat["detect"],
): LockFormat {
  const forceRelease = name === "token" ? forceReleaseToken : forceReleaseDeadline;
  const releaser = { oneHolder: false, reservable: true, forceRelease };
  return { name, types, detect, more: BULL_JOB_DETAILS, releaser };
}

/**
 * Force-releases a `token` lock and signals the waiters of other libraries, because clients of any library may be
 * waiting for the hold.
 */
async function forceReleaseToken(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
): Promise<ForceReleaseReply> {
  const [{ token, fence }] = seen.holders;
  if (fence === null) return await forceReleaseString(redis, channel, seen, ask);
  const { by, reason, reservation } = ask;
  const { keys, messages } = buildReleaseSignals(redis, seen.key);
  const request = { token, fence, by, reason, reservation };
  const run = (list: readonly RedisArgument[]) =>
    LOCK_WRITERS.token.forceRelease(redis, channel, seen.key, request, list, messages);
  const reply = await runOrRetryWithout(run, keys);
  if (reply.outcome === "released" && reservation !== undefined)
    signalReservationEnd(redis, seen.key, reservation);
  return reply;
}

const LOCK_FORMATS: readonly LockFormat[] = [
  REDISSON,
  createWritableFormat("token", ["string"], detectToken),
  createWritableFormat("timestamp", ["string"], detectDeadline),
  ...STRING_LOCK_FORMATS,
  HUEY_LOCKS,
  MEDALLION_READERS,
  MEDALLION_SEMAPHORE,
  REDIS_SEMAPHORE,
  SIDEKIQ,
  SYMFONY,
];

const BY_NAME = new Map(
  LOCK_FORMATS.flatMap((known) => known.types.map((type) => [`${known.name} ${type}`, known] as const)),
);

/** Returns the format with this name for locks of a Redis type; `undefined` if the format does not use the type. */
export function findLockFormat(name: FormatName, type: LockType): LockFormat | undefined {
  return BY_NAME.get(`${name} ${type}`);
}
