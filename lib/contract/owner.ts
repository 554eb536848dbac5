import { z } from "zod";
import { isTimeDependent } from "../query/filter.ts";
import { LIST_LIMIT_MAX, LockFilter } from "./list.ts";
import { LIVENESS_STATES } from "./liveness.ts";
import { asOfSchema, OldestHold, Waiters } from "./lock.ts";

export const OWNER_GROUPINGS = ["owner", "service", "host"] as const;
export type OwnerGrouping = (typeof OWNER_GROUPINGS)[number];

export const OWNER_SORT_FIELDS = ["name", "holds", "needs_attention", "held", "waiters"] as const;
export type OwnerSortField = (typeof OWNER_SORT_FIELDS)[number];

export const OwnerListQuery = z.strictObject({
  by: z.enum(OWNER_GROUPINGS).default("owner").meta({
    description:
      "owner: each string that stands in Redis. service, host: of the owner record, where a holder has one.",
  }),
  filter: LockFilter.refine((filter) => !isTimeDependent(filter), {
    error:
      "owners are counted by what time does not turn: leave out held, remaining and is:needs_attention, or ask for the locks themselves (GET /locks)",
  }).meta({
    description:
      "As of `GET /locks`, without what time turns: `held`, `remaining` and `is:needs_attention` are `invalid` here (`sort=-needs_attention` tells who has locks that need attention).",
    example: "key:lock:orders:*",
  }),
  sort: z
    .string()
    .max(20)
    .regex(
      new RegExp(`^-?(${OWNER_SORT_FIELDS.join("|")})$`),
      `sort is one of ${OWNER_SORT_FIELDS.join(", ")}, with a leading - for descending`,
    )
    .default("-holds")
    .meta({
      description: `One of ${OWNER_SORT_FIELDS.join(", ")}; a leading - sorts descending. held: by its oldest hold.`,
      example: "-holds",
    }),
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(100).meta({
    description: "How many a page has at most.",
  }),
  cursor: z.string().max(4096).optional().meta({
    description: "`next` of the page before.",
    example: "WyJob2xkcyIsLTEsNDIsImNoZWNrb3V0QHBvZC03OjMxMSJd",
  }),
});
export type OwnerListQuery = z.infer<typeof OwnerListQuery>;

export const Owner = z
  .object({
    name: z.string(),
    nameBase64: z
      .string()
      .optional()
      .meta({ description: "Of an owner: its bytes, present only when they are not UTF-8." }),
    filter: z.string().meta({
      description:
        "Finds just its locks, in `GET /locks` and in the review of `POST /locks/force-release`; the filter that was asked for is not in it.",
      example: 'owner:="checkout@pod-7:311"',
    }),
    holds: z.int().meta({ description: "How many locks it has, alone or with others." }),
    needsAttention: z.int().meta({
      description:
        "How many of them `is:needs_attention` finds: late, without expiry, or held for more than twice the typical.",
    }),
    liveness: z.partialRecord(z.enum(LIVENESS_STATES), z.int()).meta({ description: "How many of each." }),
    oldest: OldestHold.meta({ description: "The lock that it has held for longest." }),
    waiters: Waiters.meta({ description: "Who waits for its locks, all together." }),
  })
  .meta({ id: "Owner" });
export type Owner = z.infer<typeof Owner>;

export const OwnerList = z
  .object({
    items: z.array(Owner),
    total: z.int(),
    without: z.int().meta({ description: "Locks whose holders tell of no service, or host." }),
    next: z.string().optional(),
    asOf: asOfSchema,
  })
  .meta({ id: "OwnerList" });
export type OwnerList = z.infer<typeof OwnerList>;
