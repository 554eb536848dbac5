import { FORMAT_FACTS } from "../../../lib/contract/format-facts.ts";
import { FORMATS } from "../format.ts";
import type { KnownFormat } from "../known-format.ts";
import { STRING_FORMATS } from "./flavours.ts";
import { freeString } from "./free.ts";
import { JOB } from "./job.ts";
import { recogniseAs } from "./recognise.ts";

type Free = NonNullable<KnownFormat["frees"]>["free"];

/** A hold-off is a deadline as well: a client that takes a lock over when its time has passed reads nothing else. */
export const freeDeadline: Free = (redis, channel, { key, holders: [{ owner, fence }] }, ask) =>
  FORMATS.timestamp.forceRelease(redis, channel, key, { owner, fence, ...ask });

/** The libraries that keep a lock in one string: all are read and freed alike, but for what the table says. */
export const STRINGS: readonly KnownFormat[] = STRING_FORMATS.map((name) => ({
  ...{ name, types: ["string"] },
  recognise: (raw) => recogniseAs(name, raw),
  ...(name === "bull" || name === "bullmq" ? { more: JOB } : {}),
  ...(FORMAT_FACTS[name].never === undefined
    ? { frees: { oneHolder: false, holdOff: true, free: name === "redis-lock" ? freeDeadline : freeString } }
    : {}),
}));
