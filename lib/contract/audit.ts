import { z } from "zod";
import { ERROR_CODES } from "./error.ts";
import { keyFields } from "./lock.ts";

export const AGENT_CHARACTERS_MAX = 200;
const HASH = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 hash: 64 hexadecimal digits");
const NUMBER = z.int().min(1).meta({ description: "Number of the entry in the chain." });
const AT = z
  .int()
  .meta({ description: "Clock of the Lockkeeper instance that wrote the entry, in Unix milliseconds." });

export const AuditWho = z
  .object({
    kind: z.string().meta({
      description:
        "`key`: an API key. `session`: an operator's browser session. `nobody`: no valid credentials.",
    }),
    id: z.string().meta({
      description: "Identifies the API key or operator. It does not change when a key is rotated.",
      example: "operator:mei",
    }),
    name: z.string().meta({ description: "Name of the API key or operator.", example: "mei" }),
    verbs: z
      .array(z.string())
      .meta({ description: "Access that the caller had on the target: `read`, `lock`, `force`, `admin`." }),
  })
  .meta({ id: "AuditWho" });
export type AuditWho = z.infer<typeof AuditWho>;

export const AuditFrom = z
  .object({
    address: z.string().optional().meta({
      description: "Address of the client. Behind a proxy that is not trusted, the address of the proxy.",
    }),
    agent: z
      .string()
      .optional()
      .meta({
        description: `\`User-Agent\` of the request, truncated to ${AGENT_CHARACTERS_MAX} characters.`,
      }),
  })
  .meta({ id: "AuditFrom" });
export type AuditFrom = z.infer<typeof AuditFrom>;

export const AuditSeen = z
  .object({
    version: z.string().optional().meta({ description: "`expectedVersion` of the request." }),
    owners: z.array(z.string()).optional().meta({
      description: "Owners that held the lock when the request arrived, from Lockkeeper's index; at most 20.",
    }),
    fence: z.string().optional().meta({ description: "Fencing token of the hold." }),
  })
  .meta({ id: "AuditSeen", description: "The lock as it was when the request arrived." });
export type AuditSeen = z.infer<typeof AuditSeen>;

export const AuditOutcome = z
  .object({
    code: z.string().meta({
      description: `Result of the action: an outcome (\`released\`, \`already_gone\`, \`granted\`, \`done\` …) or an error code (${ERROR_CODES.slice(0, 3).join(", ")} …). \`not_begun\`: the intent could not be recorded in time, and nothing was done.`,
      example: "released",
    }),
    detail: z.string().optional().meta({ description: "`detail` of the error response." }),
    owner: z.string().optional().meta({ description: "Owner of the hold that was acted on." }),
    eventId: z.string().optional().meta({
      description: "Id of the event that ended the hold. Present on `already_gone`, if known.",
    }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "AuditOutcome" });
export type AuditOutcome = z.infer<typeof AuditOutcome>;

const intentFields = {
  id: z.string().meta({ description: "Identifies the action. The intent and its outcome have the same id." }),
  requestId: z.string().meta({ description: "`x-request-id` of the response." }),
  who: AuditWho,
  from: AuditFrom,
  action: z
    .string()
    .regex(/^[a-z][a-z0-9._-]{0,63}$/)
    .meta({
      description: "Name of the action.",
      example: "force_release",
    }),
  target: z.string().optional().meta({ description: "Name of the target." }),
  ...keyFields,
  key: keyFields.key.optional(),
  seen: AuditSeen.optional(),
  reason: z.string().optional().meta({ description: "Reason that the caller entered." }),
  details: z.record(z.string(), z.unknown()).optional().meta({ description: "Parameters of the action." }),
};

/**
 * A position in the hash chain of the audit log. At the start of the chain, `number` is 0 and the hash consists of
 * zeros.
 */
export const ChainPlace = z.object({ number: z.int().min(0), hash: HASH }).meta({
  id: "ChainPlace",
  description: "A position in the chain. `number` 0 with a hash of zeros is the start of the chain.",
});
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
        count: z.int().meta({ description: "Number of refusals." }),
        since: z.int().meta({ description: "Time of the first refusal, in Unix milliseconds." }),
        addresses: z
          .record(z.string(), z.int())
          .meta({ description: "Number of refusals by client address; at most 20 addresses." }),
        names: z.record(z.string(), z.int()).optional().meta({
          description:
            "Number of refusals by the name that the caller tried; at most 20 names. Unverified input of the caller.",
        }),
      })
      .meta({ id: "AuditRefusalsEntry" }),
    z
      .object({
        ...entryFields,
        kind: z.literal("chain_begun"),
        after: ChainPlace.nullable().meta({
          description: "Last entry known before the store was found empty. null if none is known.",
        }),
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
      "One entry of the chain. `intent`: written before an action starts. `outcome`: written after it ends. `refusals`: refused requests, with their number. `chain_begun`: the store was empty, and a new chain was started. `entries_lost`: `known`, the last known entry, is missing from the chain.",
  });
export type AuditEntry = z.infer<typeof AuditEntry>;
/** One line of an export: an entry with its hash and the hash of the previous entry. */
export const AuditLine = z.object({ prev: HASH, hash: HASH, entry: AuditEntry }).meta({
  id: "AuditLine",
  description:
    "One line of an export. `hash` is the SHA-256 of `prev`, a line feed and the exact text of `entry` in this line.",
});

export type AuditIntent = Extract<AuditEntry, { kind: "intent" }>;

/**
 * An item of the audit log: an action with its intent and outcome, a count of refusals, or an event in the hash chain.
 */
export const AuditItem = z
  .object({
    ...intentFields,
    number: NUMBER,
    at: AT,
    outcome: AuditOutcome.extend({ number: NUMBER, at: AT })
      .meta({ id: "RecordedAuditOutcome" })
      .nullable()
      .meta({
        description:
          "Outcome of the action. null if none was recorded: the action is still running, or the server stopped before it could record one.",
      }),
    count: z.int().optional().meta({
      description: "Number of refusals that this entry counts. Present only on refusals.",
    }),
    triedNames: z.array(z.string()).optional().meta({
      description:
        "Names that were tried in refused logins, most frequent first; at most 20. Unverified input of the caller. Present only on refusals.",
    }),
  })
  .meta({ id: "AuditItem" });
export type AuditItem = z.infer<typeof AuditItem>;

export const AuditPage = z
  .object({
    items: z.array(AuditItem),
    next: z.string().optional().meta({
      description:
        "`cursor` for the next page, with older actions. A page can have fewer items than `limit`, or none, and still have `next`. Absent on the last page.",
    }),
    complete: z.boolean().meta({
      description: "true on the last page if no older entries have been deleted. false on all other pages.",
    }),
    head: ChainPlace.meta({
      description:
        "Last entry of the chain. Store it elsewhere to check later that it is still part of the chain.",
    }),
  })
  .meta({ id: "AuditPage", description: "A page of audited actions, newest first." });
export type AuditPage = z.infer<typeof AuditPage>;

export const AuditVerification = z
  .object({
    state: z.enum(["intact", "broken"]).meta({
      description: "`intact`: every hash matches. `broken`: an entry was changed or removed; see `broken`.",
    }),
    entries: z.int().meta({ description: "Number of entries that were read and verified." }),
    anchor: ChainPlace.meta({
      description: "Last entry that is no longer retained. The verified chain starts after it.",
    }),
    head: ChainPlace,
    from: AT.nullable().meta({
      description: "Time of the first verified entry, in Unix milliseconds. null if there is none.",
    }),
    to: AT.nullable().meta({
      description: "Time of the last verified entry, in Unix milliseconds. null if there is none.",
    }),
    losses: z.array(z.int()).meta({
      description: "Numbers of the entries that record a loss of earlier entries; at most 20.",
    }),
    broken: z
      .object({
        number: z.int().meta({ description: "Number of the entry." }),
        why: z.string().meta({ description: "What does not match." }),
      })
      .meta({ id: "ChainFault" })
      .optional()
      .meta({ description: "First entry that does not match the chain. Absent if the chain is intact." }),
    checkedAt: z.int().meta({ description: "Time of the verification, in Unix milliseconds." }),
  })
  .meta({ id: "AuditVerification" });
export type AuditVerification = z.infer<typeof AuditVerification>;
