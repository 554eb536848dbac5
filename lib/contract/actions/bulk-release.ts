import { z } from "zod";
import { encodeKey, KEY_BASE64, KEY_BYTES_MAX, type KeyFields, parseKeyFields } from "../../keys/key.ts";
import { Problem } from "../error.ts";
import { Confidence, FormatName, LockKind } from "../format.ts";
import { BULK_ITEMS_MAX, REASON_CHARACTERS_MAX } from "../limits.ts";
import { LockFilter, LockSort } from "../list.ts";
import { Liveness } from "../liveness.ts";
import {
  asOfSchema,
  Holder,
  keyFields,
  listAsOfSchema,
  ReleaseTerms,
  SeenVersion,
  Waiters,
} from "../lock.ts";
import { ForceReleased } from "./force-release.ts";
import { KeyBase64 } from "./key-base64.ts";
import { ReservedMs } from "./verb.ts";

/** Maximum number of locks in one review (a preview of a bulk release). */
export const REVIEW_LOCKS_MAX = 10_000;
/**
 * Maximum size of a request body in bytes. Large enough for the maximum number of items with the longest keys, unless
 * many characters of the keys need JSON escapes.
 */
export const BULK_BODY_BYTES_MAX = 2 * 1024 * 1024;

/** One hold to release, identified by the version of the lock or of one of its holders. */
export const BulkItem = z
  .strictObject({
    key: z.string().max(KEY_BYTES_MAX).meta({ description: "Key of the lock." }),
    keyBase64: KeyBase64.optional().meta({
      description:
        "Bytes of the key in base64, for keys that are not valid UTF-8. Takes precedence over `key`.",
    }),
    expectedVersion: SeenVersion.meta({
      description: "`version` of the lock, or of one of its holders, as in a single force-release.",
    }),
    format: FormatName.optional().meta({ description: "Format of the lock, as in a single force-release." }),
  })
  .refine(isValidKey, `a key must have 1 to ${KEY_BYTES_MAX} bytes`)
  .meta({ id: "BulkItem" });
export type BulkItem = z.infer<typeof BulkItem>;

function isValidKey(fields: KeyFields): boolean {
  const { key, keyBase64 } = fields;
  if (keyBase64 === undefined && !key.isWellFormed()) return false;
  // The schema of `keyBase64` reports this error.
  if (keyBase64 !== undefined && !KEY_BASE64.test(keyBase64)) return true;
  const { length } = encodeKey(parseKeyFields(fields));
  return length > 0 && length <= KEY_BYTES_MAX;
}

export const BulkForceReleaseInput = z
  .strictObject({
    items: z
      .array(BulkItem)
      .min(1)
      .max(BULK_ITEMS_MAX, `must have at most ${BULK_ITEMS_MAX} entries; send the rest in another request`)
      .optional()
      .meta({ description: "Holds to release, by key and version." }),
    filter: LockFilter.removeDefault().optional().meta({
      description:
        "Filter as in `GET /locks`; only with `dryRun`. If it names an owner, service or host, only their holds are selected on locks with several holders.",
    }),
    sort: LockSort.meta({ description: "Order in which the holds of `filter` are listed." }),
    limit: z.int().min(1).max(REVIEW_LOCKS_MAX).default(BULK_ITEMS_MAX).meta({
      description:
        "Maximum number of locks to list for `filter`. `found` is the number of all matching locks.",
    }),
    dryRun: z.boolean().default(false).meta({
      description: "If true, nothing is released. The response lists the outcome that each item would have.",
    }),
    reason: z.string().max(REASON_CHARACTERS_MAX).default("").meta({
      description: "Reason for the release, recorded with each item. Required unless `dryRun` is true.",
    }),
    onUnverified: z
      .enum(["refuse", "release"])
      .default("refuse")
      .meta({ description: "What to do if a hold cannot be verified, as in a single force-release." }),
    reservedMs: ReservedMs.optional(),
    confirm: z.string().max(200).optional().meta({
      description:
        "Name of the target. Required if its environment is `production`, unless `dryRun` is true.",
    }),
  })
  .refine(({ items, filter }) => (items === undefined) !== (filter === undefined), {
    message: "send either `items`, or `filter` with `dryRun`: true",
  })
  .refine(({ filter, dryRun }) => filter === undefined || dryRun, {
    path: ["filter"],
    message: "requires `dryRun`: true; to release the locks, send the `items` of that response",
  })
  .meta({ id: "BulkForceReleaseInput" });
export type BulkForceReleaseInput = z.infer<typeof BulkForceReleaseInput>;

/** A hold as shown in a review, before its release. */
export const ReviewedHold = z
  .object({
    holders: z
      .array(
        Holder.pick({ owner: true, ownerBase64: true, record: true, since: true, role: true }).meta({
          id: "ReviewedHolder",
        }),
      )
      .meta({ description: "Holders that the item would release." }),
    others: z.int().meta({ description: "Number of other holders, which would keep the lock." }),
    format: FormatName,
    kind: LockKind,
    confidence: Confidence,
    liveness: Liveness.shape.state.nullable(),
    remainingMs: z.int().nullable().meta({
      description: "Time to live at `asOf`, in milliseconds. null if the hold does not expire.",
    }),
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
    target: z.string().meta({ description: "Name of the target." }),
    dryRun: z.boolean(),
    total: z.int().meta({ description: "Number of `item` lines that follow." }),
    found: z
      .int()
      .optional()
      .meta({ description: "Number of locks that match `filter`. Present only with `filter`." }),
    asOf: listAsOfSchema,
  })
  .meta({ id: "BulkHeadLine" });

const ItemLine = z
  .object({
    type: z.literal("item"),
    index: z.int().meta({
      description: "Index of the item in the request, from 0. Items can be completed in any order.",
    }),
    item: z
      .object({
        ...keyFields,
        expectedVersion: z.string().meta({ description: "`version` of the hold." }),
        format: FormatName.optional(),
      })
      .meta({ id: "BulkItemRef" })
      .meta({ description: "The item as it was sent. For a `filter`, the item to send." }),
    outcome: z.enum(BULK_OUTCOMES).meta({
      description:
        "`released`: released. `would_release`: a dry run found that it can be released. `already_gone`: the hold had ended. `changed`, `unverified`, `format_required`, `read_only`, `forbidden`: refused, see `problem`. `unknown`: Redis did not respond in time, and the lock may or may not have been released. `failed`: any other error, see `problem`.",
    }),
    result: ForceReleased.optional().meta({
      description: "On `released` and `already_gone`: the response of a single force-release.",
    }),
    seen: ReviewedHold.optional().meta({ description: "On a dry run: the current hold." }),
    problem: Problem.optional(),
  })
  .meta({ id: "BulkItemLine" });
export type BulkItemLine = z.infer<typeof ItemLine>;

const Tally = z
  .object({
    type: z.literal("tally"),
    total: z.int().meta({ description: "Number of items." }),
    outcomes: z
      .partialRecord(z.enum(BULK_OUTCOMES), z.int())
      .meta({ description: "Number of items by outcome." }),
  })
  .meta({ id: "BulkTallyLine" });

/** One line of the response to a bulk release: the head, the result of an item, or the totals. */
export const BulkLine = z.discriminatedUnion("type", [Head, ItemLine, Tally]).meta({
  id: "BulkLine",
  description:
    "One line of the response: first `head`, then one `item` per completed item, then `tally`. If there is no `tally`, some items were not started.",
});
export type BulkLine = z.infer<typeof BulkLine>;
