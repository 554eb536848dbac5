import { z } from "zod";
import { isTimeDependent } from "../query/filter.ts";
import { LIST_LIMIT_MAX, LockFilter } from "./list.ts";
import { LIVENESS_STATES } from "./liveness.ts";
import { listAsOfSchema, OldestHold, Waiters } from "./lock.ts";

export const OWNER_GROUPINGS = ["owner", "service", "host", "session"] as const;
export type OwnerGrouping = (typeof OWNER_GROUPINGS)[number];

export const OWNER_SORT_FIELDS = ["name", "holds", "needs_attention", "held", "waiters"] as const;
export type OwnerSortField = (typeof OWNER_SORT_FIELDS)[number];

export const OwnerListQuery = z.strictObject({
  by: z.enum(OWNER_GROUPINGS).default("owner").meta({
    description:
      "`owner`: by owner string. `service`, `host`, `session`: by the field of the owner record; holders without it are not listed.",
  }),
  filter: LockFilter.refine((filter) => !isTimeDependent(filter), {
    error: "must not use held, remaining or is:needs_attention here; use GET /locks for these",
  }).meta({
    description:
      "Filter as in `GET /locks`, without the terms that depend on time: `held`, `remaining` and `is:needs_attention` are refused with `invalid`. To find locks that need attention, sort by `-needs_attention`.",
    example: "key:lock:orders:*",
  }),
  sort: z
    .string()
    .max(20)
    .regex(
      new RegExp(`^-?(${OWNER_SORT_FIELDS.join("|")})$`),
      `must be one of ${OWNER_SORT_FIELDS.join(", ")}, with a leading - for descending order`,
    )
    .default("-holds")
    .meta({
      description: `One of ${OWNER_SORT_FIELDS.join(", ")}. A leading \`-\` sorts in descending order. \`held\` sorts by the oldest hold, \`needs_attention\` by the number of locks that need attention and then by \`holds\`.`,
      example: "-holds",
    }),
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(100).meta({
    description: "Maximum number of items per page.",
  }),
  cursor: z.string().max(4096).optional().meta({
    description: "`next` of the previous page.",
    example: "WyJob2xkcyIsLTEsNDIsImNoZWNrb3V0QHBvZC03OjMxMSJd",
  }),
});
export type OwnerListQuery = z.infer<typeof OwnerListQuery>;

export const Owner = z
  .object({
    name: z.string().meta({ description: "Name of the owner, service, host or session." }),
    nameBase64: z.string().optional().meta({
      description: "Bytes of the name in base64. Present only on owners whose bytes are not valid UTF-8.",
    }),
    filter: z.string().meta({
      description:
        "Filter that matches exactly the locks of this item, for `GET /locks` and `POST /locks/force-release`. It does not include the filter of the request.",
      example: 'owner:="checkout@pod-7:311"',
    }),
    holds: z.int().meta({ description: "Number of held locks, alone or with others." }),
    needsAttention: z.int().meta({
      description:
        "Number of these locks that need attention: overdue, without TTL, or held for more than twice the 95th percentile of their key pattern.",
    }),
    liveness: z
      .partialRecord(z.enum(LIVENESS_STATES), z.int())
      .meta({ description: "Number of these locks by liveness." }),
    oldest: OldestHold.meta({ description: "Longest-running hold." }),
    waiters: Waiters.meta({ description: "Waiters of all these locks." }),
  })
  .meta({ id: "Owner" });
export type Owner = z.infer<typeof Owner>;

export const OwnerList = z
  .object({
    items: z.array(Owner),
    total: z.int().meta({ description: "Number of items, on all pages." }),
    without: z
      .int()
      .meta({ description: "Number of locks that no item counts, because no holder has this field." }),
    next: z.string().optional().meta({ description: "`cursor` for the next page. Absent on the last page." }),
    asOf: listAsOfSchema,
  })
  .meta({ id: "OwnerList" });
export type OwnerList = z.infer<typeof OwnerList>;
