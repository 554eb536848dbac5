import { z } from "zod";
import { ERROR_CODES } from "./error.ts";
import { keyFields, timeParameterSchema } from "./lock.ts";

export const AGENT_CHARACTERS_MAX = 200;
const HASH = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits: a SHA-256");
const NUMBER = z.int().min(1);
const AT = z.int().meta({ description: "Clock of the Lockkeeper that wrote it, Unix milliseconds." });

export const AuditWho = z
  .object({
    kind: z.string().meta({ description: "`key`, `session`, or `nobody`." }),
    id: z.string().meta({ description: "Stays the same when a key is rotated.", example: "operator:mei" }),
    name: z.string().meta({ example: "mei" }),
    verbs: z
      .array(z.string())
      .meta({ description: "What they were allowed at that target then: read, lock, force, admin." }),
  })
  .meta({ id: "AuditWho" });
export type AuditWho = z.infer<typeof AuditWho>;

export const AuditFrom = z
  .object({
    address: z
      .string()
      .optional()
      .meta({ description: "Of the client; behind a proxy that is not trusted, the proxy's." }),
    agent: z.string().optional().meta({ description: "What the client calls itself, cut." }),
  })
  .meta({ id: "AuditFrom" });
export type AuditFrom = z.infer<typeof AuditFrom>;

export const AuditSeen = z
  .object({
    version: z.string().optional().meta({ description: "Of the hold that the caller had seen." }),
    owners: z
      .array(z.string())
      .optional()
      .meta({ description: "Who held it when the request came, as far as the picture knew; 20 at most." }),
    fence: z.string().optional(),
  })
  .meta({ id: "AuditSeen" });
export type AuditSeen = z.infer<typeof AuditSeen>;

export const AuditOutcome = z
  .object({
    code: z.string().meta({
      description: `What the call was answered with: an outcome (\`released\`, \`already_gone\`, \`granted\`, \`done\` …) or the code of an error (${ERROR_CODES.slice(0, 3).join(", ")} …). \`not_begun\`: the intent could not be confirmed in time, and nothing was done.`,
      example: "released",
    }),
    detail: z.string().optional().meta({ description: "Of a failure: what the caller was told." }),
    owner: z.string().optional().meta({ description: "Whose hold was freed or found." }),
    eventId: z.string().optional().meta({ description: "Of the event that tells it." }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "AuditOutcome" });
export type AuditOutcome = z.infer<typeof AuditOutcome>;

const intentFields = {
  id: z.string().meta({ description: "Names the action; its outcome has the same." }),
  requestId: z.string().meta({ description: "`x-request-id` of the answer." }),
  who: AuditWho,
  from: AuditFrom,
  action: z
    .string()
    .regex(/^[a-z][a-z0-9._-]{0,63}$/)
    .meta({ example: "force_release" }),
  target: z.string().optional(),
  ...keyFields,
  key: keyFields.key.optional(),
  seen: AuditSeen.optional(),
  reason: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
};

/** A position in the chain. `number` 0 and a hash of zeros: before the first entry. */
export const ChainPlace = z.object({ number: z.int().min(0), hash: HASH }).meta({ id: "ChainPlace" });
export type ChainPlace = z.infer<typeof ChainPlace>;

const entryFields = { number: NUMBER, at: AT };
export const AuditEntry = z
  .discriminatedUnion("kind", [
    z.object({ ...entryFields, kind: z.literal("intent"), ...intentFields }).meta({ id: "AuditIntentEntry" }),
    z
      .object({ ...entryFields, kind: z.literal("outcome"), id: z.string(), outcome: AuditOutcome })
      .meta({ id: "AuditOutcomeEntry" }),
    z
      .object({
        ...entryFields,
        kind: z.literal("refusals"),
        action: z.string(),
        code: z.string(),
        count: z.int(),
        since: AT,
        addresses: z
          .record(z.string(), z.int())
          .meta({ description: "Refusals by client address; at most 20 addresses." }),
      })
      .meta({ id: "AuditRefusalsEntry" }),
    z
      .object({
        ...entryFields,
        kind: z.literal("chain_begun"),
        after: ChainPlace.nullable(),
      })
      .meta({ id: "AuditChainBegunEntry" }),
    z
      .object({
        ...entryFields,
        kind: z.literal("entries_lost"),
        known: ChainPlace,
      })
      .meta({ id: "AuditEntriesLostEntry" }),
  ])
  .meta({
    id: "AuditEntry",
    description:
      "One entry of the chain. intent: written before anything is done. outcome: after it. refusals: what was refused many times, counted. chain_begun: the store was empty; `after` is the last entry that was known to be there before. entries_lost: an entry that was known to be there is not in the chain any more.",
  });
export type AuditEntry = z.infer<typeof AuditEntry>;
/** One line of an export: `hash` is the SHA-256 of `prev`, a line feed and the very text of `entry`. */
export const AuditLine = z.object({ prev: HASH, hash: HASH, entry: AuditEntry }).meta({
  id: "AuditLine",
  description: "`hash` is the SHA-256 of `prev`, a line feed and the very text of `entry` in the line.",
});

export type AuditIntent = Extract<AuditEntry, { kind: "intent" }>;

/** One action: what was meant, and what came of it. */
export const AuditItem = z
  .object({
    ...intentFields,
    number: NUMBER,
    at: AT,
    outcome: AuditOutcome.extend({ number: NUMBER, at: AT })
      .meta({ id: "RecordedAuditOutcome" })
      .nullable()
      .meta({ description: "null: not recorded. It is still going on, or nobody lived to tell." }),
    count: z.int().optional().meta({ description: "Of refusals that were counted: how many in one entry." }),
  })
  .meta({ id: "AuditItem" });
export type AuditItem = z.infer<typeof AuditItem>;

const WORDS_MAX = 300;
const createGlobSchema = (what: string, example: string) =>
  z
    .string()
    .max(WORDS_MAX)
    .optional()
    .meta({ description: `${what}; * and ? are wild.`, example });

export const auditFilterFields = {
  who: createGlobSchema("Name or id of who asked", "operator:*"),
  action: z.string().max(WORDS_MAX).optional().meta({
    description: "One or several actions, with commas between.",
    example: "force-release,reserve",
  }),
  target: z.string().max(WORDS_MAX).optional().meta({ description: "Name of the target.", example: "main" }),
  key: createGlobSchema("Of these keys", "lock:orders:*"),
  outcome: z.string().max(WORDS_MAX).optional().meta({
    description: "One or several codes, with commas between; `none` for what has no outcome recorded.",
    example: "released,changed",
  }),
  text: z.string().max(WORDS_MAX).optional().meta({
    description: "Words that must all be found in who, key, reason, owner or request id.",
    example: "pod-7",
  }),
  requestId: z
    .string()
    .max(WORDS_MAX)
    .optional()
    .meta({ description: "`x-request-id` of the answer.", example: "5f0c2a9e-17" }),
  from: timeParameterSchema
    .optional()
    .meta({ description: "Not before, Unix milliseconds.", example: 1795216500000 }),
  to: timeParameterSchema.optional().meta({ description: "Not after.", example: 1795220100000 }),
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
    .meta({ description: "Actions in a page.", example: 100 }),
  cursor: z
    .string()
    .max(15)
    .regex(/^\d{1,15}$/, "cursor is the `next` of the page before")
    .optional()
    .meta({ description: "`next` of the page before.", example: "1204" }),
  ...auditFilterFields,
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditPage = z
  .object({
    items: z.array(AuditItem),
    next: z.string().optional().meta({
      description: "`cursor` of the page with older actions. A page may be short, or empty, and have one.",
    }),
    complete: z.boolean().meta({ description: "false: older entries are not kept." }),
    head: ChainPlace.meta({
      description: "The end of the chain; note it elsewhere to see later whether it still is part of it.",
    }),
  })
  .meta({ id: "AuditPage", description: "Newest first." });
export type AuditPage = z.infer<typeof AuditPage>;

export const AuditExportQuery = z.strictObject({
  format: z.enum(["jsonl", "csv"]).default("jsonl").meta({
    description:
      "jsonl: the chain as it is, an entry a line, for `npm run audit:verify`; takes `from` and `to` alone. csv: one line an action, newest first, with all filters.",
  }),
  ...auditFilterFields,
});
export type AuditExportQuery = z.infer<typeof AuditExportQuery>;

export const AuditVerification = z
  .object({
    state: z.enum(["intact", "broken"]),
    entries: z.int().meta({ description: "So many were read and compared." }),
    anchor: ChainPlace.meta({ description: "The last entry that is not kept any more." }),
    head: ChainPlace,
    from: AT.nullable(),
    to: AT.nullable(),
    losses: z.array(z.int()).meta({
      description: "Numbers of entries which say that others were lost before them; the first twenty.",
    }),
    broken: z
      .object({ number: z.int(), why: z.string() })
      .meta({ id: "ChainFault" })
      .optional()
      .meta({ description: "The first place that does not fit." }),
    checkedAt: AT,
  })
  .meta({ id: "AuditVerification" });
export type AuditVerification = z.infer<typeof AuditVerification>;
