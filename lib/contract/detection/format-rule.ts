import { z } from "zod";
import { FormatName } from "../format.ts";

export const FORMAT_RULES_MAX = 100;
export const PATTERN_CHARACTERS_MAX = 256;

export const FormatRule = z
  .strictObject({
    pattern: z
      .string()
      .min(1, "must have at least one character")
      .max(PATTERN_CHARACTERS_MAX, `must have at most ${PATTERN_CHARACTERS_MAX} characters`)
      .meta({ description: "Redis glob pattern of keys.", example: "order-*" }),
    format: FormatName,
  })
  .meta({
    id: "FormatRule",
    description:
      "Assigns a format to the keys that match a pattern, for formats that the value alone does not determine.",
  });
export type FormatRule = z.infer<typeof FormatRule>;

export const FormatRulesInput = z
  .strictObject({
    rules: z.array(FormatRule).max(FORMAT_RULES_MAX, `must have at most ${FORMAT_RULES_MAX} rules`).meta({
      description:
        "New rules. They replace all rules except those of the configuration. The first matching rule applies.",
    }),
  })
  .meta({ id: "FormatRulesInput" });
export type FormatRulesInput = z.infer<typeof FormatRulesInput>;

const ListedRule = z
  .object({
    ...FormatRule.shape,
    from: z.enum(["configuration", "api"]).meta({
      description:
        "`configuration`: set in the configuration, applied first, and cannot be changed through the API. `api`: set through the API.",
    }),
  })
  .meta({ id: "ListedRule" });
export type ListedRule = z.infer<typeof ListedRule>;

const FormatInfo = z
  .object({
    name: FormatName,
    label: z.string().meta({ description: "Display name of the library." }),
    layout: z.string().meta({ description: "How the lock is stored in Redis." }),
    spoken: z.boolean().meta({ description: "Whether the API can acquire locks in this format." }),
    owner: z.enum(["unique", "recurs"]).meta({
      description:
        "`unique`: every hold has a new owner string. `recurs`: successive holds of a client have the same owner string.",
    }),
    renews: z
      .object({
        who: z.enum(["all", "some", "none"]).meta({ description: "Which holders renew their lease." }),
        afterShare: z
          .number()
          .optional()
          .meta({ description: "Share of the lease after which a holder renews by default, from 0 to 1." }),
      })
      .meta({ id: "RenewalPolicy" })
      .meta({ description: "Whether holders renew their lease automatically." }),
    waiters: z.string().meta({
      description: "What happens to waiters on a force-release: which ones are notified, and in which order.",
    }),
    oldOwner: z.string().meta({ description: "What the holder notices on a force-release." }),
    comesBack: z
      .string()
      .optional()
      .meta({ description: "How the library can recreate the lock after a force-release." }),
    never: z
      .object({
        why: z.string().meta({ description: "Why a force-release would do harm." }),
        instead: z.string().meta({ description: "What to do instead." }),
      })
      .meta({ id: "ReleaseRefusal" })
      .optional()
      .meta({
        description: "Present if locks of this format cannot be force-released: why, and what to do instead.",
      }),
  })
  .meta({ id: "KnownFormat" });

export const Formats = z
  .object({
    formats: z.array(FormatInfo).meta({ description: "Recognized formats." }),
    rules: z.array(ListedRule).meta({ description: "Format rules, in the order in which they apply." }),
  })
  .meta({ id: "FormatList" });
export type Formats = z.infer<typeof Formats>;
