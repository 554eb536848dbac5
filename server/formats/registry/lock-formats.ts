import type { FormatName, SpokenFormat } from "../../../lib/contract/format.ts";
import type { Commands } from "../../redis/commands.ts";
import type { FreeAsk, KnownFormat } from "../lock-format.ts";
import { FORMATS } from "../lock-writer.ts";
import { MEDALLION_READERS, MEDALLION_SEMAPHORE } from "../members/medallion.ts";
import { REDIS_SEMAPHORE } from "../members/redis-semaphore.ts";
import { SIDEKIQ } from "../members/sidekiq.ts";
import { SYMFONY } from "../members/symfony.ts";
import type { HeldObservation, LockType } from "../observation.ts";
import { REDISSON } from "../redisson/redisson-format.ts";
import { freeString } from "../strings/force-release-string.ts";
import { STRINGS } from "../strings/string-formats.ts";
import { recogniseDeadline, recogniseToken } from "../writable-strings.ts";

/**
 * Those that we write ourselves: `force-release.lua` frees a hold of ours and one taken without us alike; but a string
 * of a library that is not known may have those who wait to be woken.
 */
function spoken(
  name: SpokenFormat,
  types: readonly LockType[],
  recognise: KnownFormat["recognise"],
): KnownFormat {
  const free = (redis: Commands, channel: string, seen: HeldObservation, ask: FreeAsk) => {
    const [{ owner, fence }] = seen.holders;
    if (fence === null && name === "token") return freeString(redis, channel, seen, ask);
    const { by, reason, holdOff } = ask;
    return FORMATS[name].forceRelease(redis, channel, seen.key, { owner, fence, by, reason, holdOff });
  };
  return { name, types, recognise, frees: { oneHolder: false, holdOff: true, free } };
}

const KNOWN: readonly KnownFormat[] = [
  REDISSON,
  spoken("token", ["string"], recogniseToken),
  spoken("timestamp", ["string"], recogniseDeadline),
  ...STRINGS,
  MEDALLION_READERS,
  MEDALLION_SEMAPHORE,
  REDIS_SEMAPHORE,
  SIDEKIQ,
  SYMFONY,
];

const BY_NAME = new Map(
  KNOWN.flatMap((known) => known.types.map((type) => [`${known.name} ${type}`, known] as const)),
);

/** How a format is read and freed where its lock is of this type; undefined: it writes none. */
export function knownFormat(name: FormatName, type: LockType): KnownFormat | undefined {
  return BY_NAME.get(`${name} ${type}`);
}
