import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { KnownFormat } from "../lock-format.ts";
import { FORMATS } from "../lock-writer.ts";
import { JOB } from "./bull-job.ts";
import { recogniseAs } from "./detect-string.ts";
import { freeString } from "./force-release-string.ts";
import { STRING_FORMATS } from "./string-variants.ts";

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
