import type { LockFormat } from "../lock-format.ts";
import { detectRedisson } from "./detect-redisson.ts";
import { FAIR_QUEUE } from "./fair-queue.ts";
import { forceReleaseRedisson, getRedissonReleaseTerms } from "./force-release-redisson.ts";
import { REDISSON_DETAILS } from "./redisson-details.ts";

export const REDISSON: LockFormat = {
  name: "redisson",
  types: ["hash", "string"],
  detect: detectRedisson,
  more: REDISSON_DETAILS,
  queue: FAIR_QUEUE,
  releaser: {
    oneHolder: true,
    reservable: true,
    terms: getRedissonReleaseTerms,
    forceRelease: forceReleaseRedisson,
  },
};
