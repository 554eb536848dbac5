import { z } from "zod";
import { encodeKey, KEY_BYTES_MAX, type KeyFields, parseKeyFields } from "../../keys/key.ts";
import { Problem } from "../error.ts";
import { Confidence, FormatName, LockKind } from "../format.ts";
import { BULK_ITEMS_MAX, REASON_CHARACTERS_MAX } from "../limits.ts";
import { LockFilter, LockSort } from "../list.ts";
import { Liveness } from "../liveness.ts";
import { asOfSchema, Holder, keyFields, ReleaseTerms, SeenVersion, Waiters } from "../lock.ts";
import { ForceReleased } from "./force-release.ts";
import { ReservedMs } from "./verb.ts";

/** Locks that one review may show. */
export const REVIEW_LOCKS_MAX = 10_000;
/** Room for so many items with the longest of keys; JSON writes some characters with up to six. */
export const BULK_BODY_BYTES_MAX = 2 * 1024 * 1024;

const BASE64 = /^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$/;

/** One hold that somebody looked at. */
export const BulkItem = z
  .strictObject({
    key: z.string().max(KEY_BYTES_MAX).meta({ description: "The lock's name." }),
    keyBase64: z
      .string()
      .max(Math.ceil(KEY_BYTES_MAX / 3) * 4)
      .regex(BASE64, "keyBase64 is the base64 of the key's bytes")
      .optional()
      .meta({
        description: "The key's bytes, where they are not UTF-8; goes before `key`.",
      }),
    expectedVersion: SeenVersion.meta({
      description:
        "`version` of the lock that was seen, or of one of its holders, as in a single force-release.",
    }),
    format: FormatName.optional().meta({ description: "As in a single force-release." }),
  })
  .refine(isValidKey, `a key has 1 to ${KEY_BYTES_MAX} bytes`)
  .meta({ id: "BulkItem" });
export type BulkItem = z.infer<typeof BulkItem>;

function isValidKey(fields: KeyFields): boolean {
  const { key, keyBase64 } = fields;
  if (keyBase64 === undefined && !key.isWellFormed()) return false;
  // Told by the field itself.
  if (keyBase64 !== undefined && !BASE64.test(keyBase64)) return true;
  const { length } = encodeKey(parseKeyFields(fields));
  return length > 0 && length <= KEY_BYTES_MAX;
}

export const BulkForceReleaseInput = z
  .strictObject({
    items: z
      .array(BulkItem)
      .min(1)
      .max(BULK_ITEMS_MAX, `items are at most ${BULK_ITEMS_MAX} a request; send the rest in another one`)
      .optional()
      .meta({ description: "What to free: the holds that were looked at, by their versions." }),
    filter: LockFilter.removeDefault().optional().meta({
      description:
        "With `dryRun` alone: look at what this finds. Where it names an owner, a service or a host, of a lock that several hold only their part is meant.",
    }),
    sort: LockSort.meta({ description: "Of what a filter finds." }),
    limit: z
      .int()
      .min(1)
      .max(REVIEW_LOCKS_MAX)
      .default(BULK_ITEMS_MAX)
      .meta({ description: "Of what a filter finds, so many locks at most; `found` tells of how many." }),
    dryRun: z.boolean().default(false).meta({
      description: "Frees nothing; tells of each item what would become of it, were it sent now.",
    }),
    reason: z
      .string()
      .max(REASON_CHARACTERS_MAX)
      .default("")
      .meta({ description: "Why; required without `dryRun`. Goes with every single release." }),
    onUnverified: z
      .enum(["refuse", "release"])
      .default("refuse")
      .meta({ description: "As in a single force-release." }),
    reservedMs: ReservedMs.optional(),
    confirm: z.string().max(200).optional().meta({
      description:
        "The name of the target; required where its environment is `production`, without `dryRun`.",
    }),
  })
  .refine(({ items, filter }) => (items === undefined) !== (filter === undefined), {
    message: "send either `items`, or `filter` with `dryRun`: true",
  })
  .refine(({ filter, dryRun }) => filter === undefined || dryRun, {
    path: ["filter"],
    message:
      "nothing is freed that nobody looked at: send the filter with `dryRun`: true, and then the `items` that it answers",
  })
  .meta({ id: "BulkForceReleaseInput" });
export type BulkForceReleaseInput = z.infer<typeof BulkForceReleaseInput>;

/** What a reviewer has to know of a hold. */
export const ReviewedHold = z
  .object({
    holders: z
      .array(
        Holder.pick({ owner: true, ownerBase64: true, record: true, since: true, role: true }).meta({
          id: "ReviewedHolder",
        }),
      )
      .meta({ description: "Those that the item is about: all of the lock's, or one of them." }),
    others: z.int().meta({ description: "How many others hold the lock, and would keep it." }),
    format: FormatName,
    kind: LockKind,
    confidence: Confidence,
    liveness: Liveness.shape.state.nullable(),
    remainingMs: z.int().nullable(),
    waiters: Waiters,
    release: ReleaseTerms,
    asOf: asOfSchema,
  })
  .meta({ id: "ReviewedHold" });
export type ReviewedHold = z.infer<typeof ReviewedHold>;

export const BULK_OUTCOMES = [
  "released",
  "would_release",
  "already_gone",
  "changed",
  "unverified",
  "format_required",
  "read_only",
  "forbidden",
  "unknown",
  "failed",
] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];

const Head = z
  .object({
    type: z.literal("head"),
    target: z.string(),
    dryRun: z.boolean(),
    total: z.int().meta({ description: "So many lines `item` follow." }),
    found: z.int().optional().meta({ description: "Of a filter: how many locks match it in all." }),
    asOf: asOfSchema,
  })
  .meta({ id: "BulkHeadLine" });

const ItemLine = z
  .object({
    type: z.literal("item"),
    index: z.int().meta({ description: "Which of the items, from 0; they end in any order." }),
    item: z
      .object({ ...keyFields, expectedVersion: z.string(), format: FormatName.optional() })
      .meta({ id: "BulkItemRef" })
      .meta({ description: "As it was sent; of a filter, as it is to be sent." }),
    outcome: z.enum(BULK_OUTCOMES).meta({
      description:
        "unknown: Redis did not answer in time, it may or may not have been done. failed: for any other reason; `problem` says it, as of all but the first three.",
    }),
    result: ForceReleased.optional().meta({
      description: "released and already_gone: as a single one answers.",
    }),
    seen: ReviewedHold.optional().meta({ description: "Of a dry run: the hold as it is now." }),
    problem: Problem.optional(),
  })
  .meta({ id: "BulkItemLine" });
export type BulkItemLine = z.infer<typeof ItemLine>;

const Tally = z
  .object({
    type: z.literal("tally"),
    total: z.int(),
    outcomes: z.partialRecord(z.enum(BULK_OUTCOMES), z.int()),
  })
  .meta({ id: "BulkTallyLine" });

/** One line of the answer: a head, then an item a line as each is done, then a tally. */
export const BulkLine = z.discriminatedUnion("type", [Head, ItemLine, Tally]).meta({
  id: "BulkLine",
  description:
    "One line of JSON: a `head`, an `item` for each as it is done, a `tally`. Without a tally not all were begun.",
});
export type BulkLine = z.infer<typeof BulkLine>;
