import { z } from "zod";
import { Confidence, FormatName } from "../format.ts";
import { LockKey } from "../lock.ts";

const Interpretation = z
  .object({ format: FormatName, confidence: Confidence })
  .meta({ id: "KeyInterpretation", description: "How a key is read as a lock." })
  .nullable()
  .meta({ description: "null: it is no lock." });

export const RuleChange = z
  .object({
    from: Interpretation,
    to: Interpretation,
    count: z.int(),
    sample: z.array(LockKey).meta({ description: "Some of the keys, 5 at most." }),
  })
  .meta({ id: "FormatRuleChange" });
export type RuleChange = z.infer<typeof RuleChange>;

export const RulePreview = z
  .object({
    held: z.int().meta({ description: "Locks in the picture." }),
    affected: z.int().meta({ description: "Held locks of which these rules say another format." }),
    looked: z.int().meta({ description: "How many of them were looked at, 2000 at most." }),
    scanned: z.int().meta({
      description: "Keys gone through for those that would be locks by these rules alone.",
    }),
    isWhole: z.boolean().meta({ description: "false: not all keys were gone through; there may be more." }),
    changes: z.array(RuleChange).meta({ description: "What would be read differently, the largest first." }),
  })
  .meta({ id: "FormatRulesPreview", description: "What rules would change. Nothing was changed." });
export type RulePreview = z.infer<typeof RulePreview>;
