import { z } from "zod";
import { timeParameterSchema } from "./lock.ts";

const WORDS_MAX = 300;
const createGlobSchema = (what: string, example: string) =>
  z
    .string()
    .max(WORDS_MAX)
    .optional()
    .meta({ description: `${what}. \`*\` and \`?\` are wildcards.`, example });

export const auditFilterFields = {
  who: createGlobSchema("Name or id of the caller, or a name that a refused login tried", "operator:*"),
  action: z.string().max(WORDS_MAX).optional().meta({
    description: "One or more actions, separated by commas.",
    example: "force_release,reserve",
  }),
  target: z.string().max(WORDS_MAX).optional().meta({ description: "Name of a target.", example: "main" }),
  key: createGlobSchema("Key of the lock", "lock:orders:*"),
  outcome: z.string().max(WORDS_MAX).optional().meta({
    description:
      "One or more outcome codes, separated by commas. `none` matches actions without a recorded outcome.",
    example: "released,changed",
  }),
  text: z.string().max(WORDS_MAX).optional().meta({
    description: "Words that must all occur in the caller, tried names, key, reason, owner or request id.",
    example: "pod-7",
  }),
  requestId: z.string().max(WORDS_MAX).optional().meta({
    description: "`x-request-id` of the response.",
    example: "5f0c2a9e-17",
  }),
  from: timeParameterSchema.optional().meta({
    description: "Start of the period, inclusive, in Unix milliseconds.",
    example: 1795216500000,
  }),
  to: timeParameterSchema.optional().meta({
    description: "End of the period, inclusive, in Unix milliseconds.",
    example: 1795220100000,
  }),
};
export const AuditFilter = z.strictObject(auditFilterFields);
export type AuditFilter = z.infer<typeof AuditFilter>;

export const AuditQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .meta({ description: "Maximum number of actions per page.", example: 100 }),
  cursor: z
    .string()
    .max(15)
    .regex(/^\d{1,15}$/, "must be the `next` value of the previous page")
    .optional()
    .meta({
      description: "`next` of the previous page.",
      example: "1204",
    }),
  ...auditFilterFields,
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditExportQuery = z.strictObject({
  format: z.enum(["jsonl", "csv"]).default("jsonl").meta({
    description:
      "`jsonl`: the entries of the chain, one per line, as input for `lockkeeper audit verify`; takes only `from` and `to`. `csv`: one line per action, newest first; takes all filters.",
  }),
  ...auditFilterFields,
});
export type AuditExportQuery = z.infer<typeof AuditExportQuery>;
