import { z } from "zod";
import { LockFilter } from "./list.ts";
import { asOfSchema } from "./lock.ts";

export const FACET_FIELDS = ["format", "kind", "liveness", "service", "host", "waiters"] as const;
export type FacetField = (typeof FACET_FIELDS)[number];
/** So many values of a facet are told apart at most. */
export const FACET_VALUES_MAX = 50;

export const FacetsQuery = z.strictObject({ filter: LockFilter });
export type FacetsQuery = z.infer<typeof FacetsQuery>;

export const FacetValue = z
  .object({
    value: z.string().meta({
      description: "As it is shown; of `waiters`: `waiting`, for locks that somebody waits for.",
      example: "redisson",
    }),
    filter: z.string().meta({
      description: "The word of a filter that finds just these.",
      example: "format:redisson",
    }),
    locks: z.int().meta({ description: "How many have it. A lock may have several of a facet's values." }),
  })
  .meta({ id: "FacetValue" });
export type FacetValue = z.infer<typeof FacetValue>;

export const Facet = z
  .object({
    field: z.enum(FACET_FIELDS),
    values: z
      .array(FacetValue)
      .max(FACET_VALUES_MAX)
      .meta({ description: "Those that most have come first." }),
    others: z.int().meta({ description: "How many values there are besides these." }),
    without: z.int().meta({ description: "Locks that have none." }),
  })
  .meta({
    id: "Facet",
    description: "Of the locks that match all words of the filter but those of this very field.",
  });
export type Facet = z.infer<typeof Facet>;

export const Facets = z
  .object({
    total: z.int().meta({ description: "How many match the whole filter." }),
    facets: z.array(Facet),
    asOf: asOfSchema,
  })
  .meta({ id: "FacetList" });
export type Facets = z.infer<typeof Facets>;
