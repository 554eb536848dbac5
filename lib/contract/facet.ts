import { z } from "zod";
import { LockFilter } from "./list.ts";
import { listAsOfSchema } from "./lock.ts";

export const FACET_FIELDS = ["format", "kind", "liveness", "service", "host", "session", "waiters"] as const;
export type FacetField = (typeof FACET_FIELDS)[number];
/** Maximum number of values that are listed per facet. */
export const FACET_VALUES_MAX = 50;

export const FacetsQuery = z.strictObject({ filter: LockFilter });
export type FacetsQuery = z.infer<typeof FacetsQuery>;

export const FacetValue = z
  .object({
    value: z.string().meta({
      description: "Value of the field. For `waiters`, the only value is `waiting`: locks that have waiters.",
      example: "redisson",
    }),
    filter: z.string().meta({
      description: "Filter term that matches this value.",
      example: "format:redisson",
    }),
    locks: z.int().meta({
      description: "Number of locks with this value. A lock can have more than one value of a field.",
    }),
  })
  .meta({ id: "FacetValue" });
export type FacetValue = z.infer<typeof FacetValue>;

export const Facet = z
  .object({
    field: z.enum(FACET_FIELDS).meta({ description: "Field that the values belong to." }),
    values: z
      .array(FacetValue)
      .max(FACET_VALUES_MAX)
      .meta({ description: "Values of the field, most frequent first." }),
    others: z.int().meta({ description: "Number of values that are not listed." }),
    without: z.int().meta({ description: "Number of locks without a value." }),
  })
  .meta({
    id: "Facet",
    description:
      "Counts for one field. Terms of the filter that concern this field are ignored for it, so that alternatives are visible.",
  });
export type Facet = z.infer<typeof Facet>;

export const Facets = z
  .object({
    total: z.int().meta({ description: "Number of locks that match the filter." }),
    facets: z.array(Facet),
    asOf: listAsOfSchema,
  })
  .meta({ id: "FacetList" });
export type Facets = z.infer<typeof Facets>;
