import { z } from "zod";
import { Confidence, FormatName } from "../format.ts";

export const FoundGroup = z
  .object({
    pattern: z.string().meta({ description: "What their keys have in common, as a watch pattern." }),
    format: FormatName,
    confidence: Confidence.meta({ description: "Of the surest of them." }),
    count: z.int(),
    example: z.string().meta({ description: "One of the keys." }),
    isWatched: z.boolean().meta({ description: "Whether the example is among the keys that are watched." }),
  })
  .meta({ id: "FoundGroup" });
export type FoundGroup = z.infer<typeof FoundGroup>;

export const FinderReport = z
  .object({
    state: z.enum(["idle", "running", "done", "cancelled", "failed"]).meta({
      description: "cancelled, failed: starting it again goes on where it ended.",
    }),
    startedAt: z.int().nullable(),
    ms: z.int().meta({ description: "For how long it has been going on." }),
    scanned: z.int().meta({ description: "Keys gone through, as near as SCAN tells." }),
    keys: z.int().nullable().meta({ description: "Keys there are; null: not known." }),
    skipped: z.int().meta({
      description: "Keys that were not looked at, because hundreds of such names were no locks.",
    }),
    groups: z.array(FoundGroup).meta({ description: "The surest and largest first, 200 at most." }),
    watch: z.string().nullable().meta({
      description:
        "What to set LOCKKEEPER_WATCH to, so that those that are no guess are watched; null: nothing more.",
    }),
    detail: z.string().optional(),
  })
  .meta({ id: "FinderReport" });
export type FinderReport = z.infer<typeof FinderReport>;

export const FinderInput = z
  .strictObject({
    anew: z.boolean().default(false).meta({ description: "Start over and discard what was found before." }),
  })
  .meta({ id: "FinderInput" });
