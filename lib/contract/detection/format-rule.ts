import { z } from "zod";
import { FormatName } from "../format.ts";

export const FORMAT_RULES_MAX = 100;
export const PATTERN_CHARACTERS_MAX = 256;

export const FormatRule = z
  .strictObject({
    pattern: z
      .string()
      .min(1, "a pattern has at least one character")
      .max(PATTERN_CHARACTERS_MAX, `a pattern has at most ${PATTERN_CHARACTERS_MAX} characters`)
      .meta({ description: "Redis's glob of keys.", example: "order-*" }),
    format: FormatName,
  })
  .meta({
    id: "FormatRule",
    description: "Keys of this name are of this format: what their shape alone does not tell.",
  });
export type FormatRule = z.infer<typeof FormatRule>;

export const FormatRulesInput = z
  .strictObject({
    rules: z.array(FormatRule).max(FORMAT_RULES_MAX, `there are at most ${FORMAT_RULES_MAX} rules`).meta({
      description: "All rules from now on, but those of the configuration. The first that fits counts.",
    }),
  })
  .meta({ id: "FormatRulesInput" });
export type FormatRulesInput = z.infer<typeof FormatRulesInput>;

const ListedRule = z
  .object({
    ...FormatRule.shape,
    from: z.enum(["configuration", "api"]).meta({
      description: "configuration: it comes first, and is changed there alone.",
    }),
  })
  .meta({ id: "ListedRule" });
export type ListedRule = z.infer<typeof ListedRule>;

const FormatInfo = z
  .object({
    name: FormatName,
    label: z.string().meta({ description: "As people call the library." }),
    layout: z.string().meta({ description: "What stands in Redis." }),
    spoken: z.boolean().meta({ description: "Whether the verbs of this API take locks in it." }),
    owner: z.enum(["unique", "recurs"]).meta({
      description: "unique: one owner string names one hold. recurs: its next hold has the same one.",
    }),
    renews: z
      .object({ who: z.enum(["all", "some", "none"]), afterShare: z.number().optional() })
      .meta({ id: "RenewalPolicy" })
      .meta({ description: "Who prolongs a lease by itself, and after which share of it by default." }),
    waiters: z.string().meta({
      description: "What becomes of who waits when the lock is freed by force: who is woken, in which order.",
    }),
    oldOwner: z.string().meta({ description: "What its holder notices when the lock is freed by force." }),
    comesBack: z.string().optional().meta({ description: "How it may make the lock again." }),
    never: z
      .object({ why: z.string(), instead: z.string() })
      .meta({ id: "ReleaseRefusal" })
      .optional()
      .meta({ description: "It is not freed by force." }),
  })
  .meta({ id: "KnownFormat" });

export const Formats = z
  .object({ formats: z.array(FormatInfo), rules: z.array(ListedRule) })
  .meta({ id: "FormatList" });
export type Formats = z.infer<typeof Formats>;
