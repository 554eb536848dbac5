import type { KnownFormat } from "../lock-format.ts";
import { recogniseRedisson } from "./detect-redisson.ts";
import { FAIR_QUEUE } from "./fair-queue.ts";
import { free, termsOf } from "./force-release-redisson.ts";
import { more } from "./redisson-details.ts";

export const REDISSON: KnownFormat = {
  name: "redisson",
  types: ["hash", "string"],
  recognise: recogniseRedisson,
  more,
  queue: FAIR_QUEUE,
  frees: { oneHolder: true, holdOff: true, terms: termsOf, free },
};
