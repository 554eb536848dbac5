import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { LockFormat } from "../lock-format.ts";
import { LOCK_WRITERS } from "../lock-writer.ts";
import { BULL_JOB_DETAILS } from "./bull-job.ts";
import { detectStringAs } from "./detect-string.ts";
import { forceReleaseString } from "./force-release-string.ts";
import { STRING_FORMAT_NAMES } from "./string-variants.ts";

type ForceRelease = NonNullable<LockFormat["releaser"]>["forceRelease"];

/**
 * Releases or reserves a deadline lock. A reservation is also stored as a deadline, because a client that takes over an
 * expired lock reads only the deadline.
 */
export const forceReleaseDeadline: ForceRelease = (
  redis,
  channel,
  { key, holders: [{ token, fence }] },
  ask,
) => LOCK_WRITERS.timestamp.forceRelease(redis, channel, key, { token, fence, ...ask });

/**
 * The formats of libraries with string locks. All of them are read and released in the same way, except that
 * `redis-lock` locks are released as deadline locks, and some formats are never released.
 */
export const STRING_LOCK_FORMATS: readonly LockFormat[] = STRING_FORMAT_NAMES.map((name) => ({
  ...{ name, types: ["string"] },
  detect: (raw) => detectStringAs(name, raw),
  more: BULL_JOB_DETAILS,
  ...(FORMAT_FACTS[name].never === undefined
    ? {
        releaser: {
          oneHolder: false,
          reservable: true,
          forceRelease: name === "redis-lock" ? forceReleaseDeadline : forceReleaseString,
        },
      }
    : {}),
}));
