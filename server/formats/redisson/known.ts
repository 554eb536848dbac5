import type { KnownFormat } from "../known-format.ts";
import { FAIR_QUEUE } from "./fair-queue.ts";
import { free, termsOf } from "./free.ts";
import { more } from "./more.ts";
import { recogniseRedisson } from "./recognise.ts";

export const REDISSON: KnownFormat = {
  name: "redisson",
  types: ["hash", "string"],
  recognise: recogniseRedisson,
  more,
  queue: FAIR_QUEUE,
  frees: { oneHolder: true, holdOff: true, terms: termsOf, free },
};
