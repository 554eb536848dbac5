import type { FormatName, WritableFormat } from "../../../lib/contract/format.ts";
import type { Commands } from "../../redis/commands.ts";
import type { ForceReleaseParams, LockFormat } from "../lock-format.ts";
import { LOCK_WRITERS } from "../lock-writer.ts";
import { MEDALLION_READERS, MEDALLION_SEMAPHORE } from "../members/medallion.ts";
import { REDIS_SEMAPHORE } from "../members/redis-semaphore.ts";
import { SIDEKIQ } from "../members/sidekiq.ts";
import { SYMFONY } from "../members/symfony.ts";
import type { HeldObservation, LockType } from "../observation.ts";
import { REDISSON } from "../redisson/redisson-format.ts";
import { forceReleaseString } from "../strings/force-release-string.ts";
import { STRING_LOCK_FORMATS } from "../strings/string-formats.ts";
import { detectDeadline, detectToken } from "../writable-strings.ts";

/**
 * Those that we write ourselves: `force-release.lua` frees a hold of ours and one taken without us alike; but a string
 * of a library that is not known may have those who wait to be woken.
 */
function createWritableFormat(
  name: WritableFormat,
  types: readonly LockType[],
  recognise: LockFormat["detect"],
): LockFormat {
  const release = (redis: Commands, channel: string, seen: HeldObservation, ask: ForceReleaseParams) => {
    const [{ token, fence }] = seen.holders;
    if (fence === null && name === "token") return forceReleaseString(redis, channel, seen, ask);
    const { by, reason, reservation } = ask;
    return LOCK_WRITERS[name].forceRelease(redis, channel, seen.key, {
      token,
      fence,
      by,
      reason,
      reservation,
    });
  };
  return { name, types, detect: recognise, frees: { oneHolder: false, reservable: true, free: release } };
}

const LOCK_FORMATS: readonly LockFormat[] = [
  REDISSON,
  createWritableFormat("token", ["string"], detectToken),
  createWritableFormat("timestamp", ["string"], detectDeadline),
  ...STRING_LOCK_FORMATS,
  MEDALLION_READERS,
  MEDALLION_SEMAPHORE,
  REDIS_SEMAPHORE,
  SIDEKIQ,
  SYMFONY,
];

const BY_NAME = new Map(
  LOCK_FORMATS.flatMap((known) => known.types.map((type) => [`${known.name} ${type}`, known] as const)),
);

/** How a format is read and freed where its lock is of this type; undefined: it writes none. */
export function findLockFormat(name: FormatName, type: LockType): LockFormat | undefined {
  return BY_NAME.get(`${name} ${type}`);
}
