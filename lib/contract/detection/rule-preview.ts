import { z } from "zod";
import { Confidence, FormatName } from "../format.ts";
import { LockKey } from "../lock.ts";

const Interpretation = z
  .object({ format: FormatName, confidence: Confidence })
  .meta({ id: "KeyInterpretation", description: "How a key is interpreted as a lock." })
  .nullable()
  .meta({ description: "Interpretation of the keys. null if they are not locks." });

export const RuleChange = z
  .object({
    from: Interpretation,
    to: Interpretation,
    count: z.int().meta({ description: "Number of keys." }),
    sample: z.array(LockKey).meta({ description: "Examples of the keys, at most 5." }),
  })
  .meta({ id: "FormatRuleChange" });
export type RuleChange = z.infer<typeof RuleChange>;

export const RulePreview = z
  .object({
    held: z.int().meta({ description: "Number of indexed locks." }),
    affected: z
      .int()
      .meta({ description: "Number of indexed locks to which the new rules assign another format." }),
    readCount: z.int().meta({ description: "Number of these locks that were read, at most 2,000." }),
    scanned: z.int().meta({
      description: "Number of other keys that were scanned for new locks.",
    }),
    isWhole: z
      .boolean()
      .meta({ description: "false if not all keys were scanned. There may be more changes." }),
    changes: z.array(RuleChange).meta({ description: "Changes in interpretation, largest first." }),
  })
  .meta({ id: "FormatRulesPreview", description: "Effect of a set of rules. Nothing was changed." });
export type RulePreview = z.infer<typeof RulePreview>;
