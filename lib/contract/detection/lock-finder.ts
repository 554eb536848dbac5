import { z } from "zod";
import { Confidence, FormatName } from "../format.ts";

export const FoundGroup = z
  .object({
    pattern: z.string().meta({ description: "Key pattern of the group, usable as a watch pattern." }),
    format: FormatName,
    confidence: Confidence.meta({ description: "Highest confidence in the group." }),
    count: z.int().meta({ description: "Number of locks in the group." }),
    example: z.string().meta({ description: "One of the keys in the group." }),
    isWatched: z.boolean().meta({ description: "Whether `example` is a watched key." }),
    isListed: z.boolean().meta({
      description:
        "Whether the default list contains such locks if they are watched: not if they are only `possible`, and `example` matches neither a lockable pattern nor a format rule.",
    }),
  })
  .meta({ id: "FoundGroup" });
export type FoundGroup = z.infer<typeof FoundGroup>;

export const FinderReport = z
  .object({
    state: z.enum(["idle", "running", "done", "cancelled", "failed"]).meta({
      description:
        "State of the scan. A scan that was `cancelled` or has `failed` continues where it stopped when it is started again.",
    }),
    startedAt: z
      .int()
      .nullable()
      .meta({ description: "When the scan was started, in Unix milliseconds. null if never." }),
    ms: z.int().meta({ description: "Elapsed time in milliseconds." }),
    scanned: z.int().meta({ description: "Number of keys scanned so far, estimated from SCAN." }),
    keys: z.int().nullable().meta({ description: "Number of all keys. null if unknown." }),
    skipped: z.int().meta({
      description:
        "Number of keys that were not read because hundreds of keys with similar names were not locks.",
    }),
    groups: z
      .array(FoundGroup)
      .meta({ description: "Groups of locks, highest confidence and largest first; at most 200." }),
    watch: z.string().nullable().meta({
      description:
        "Value for `LOCKKEEPER_WATCH` that also covers the groups that are certain or likely. null if no change is needed.",
    }),
    detail: z.string().optional().meta({ description: "Reason why the scan failed." }),
  })
  .meta({ id: "FinderReport" });
export type FinderReport = z.infer<typeof FinderReport>;

export const FinderInput = z
  .strictObject({
    anew: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to start over and discard earlier results." }),
  })
  .meta({ id: "FinderInput" });
