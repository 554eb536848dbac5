import { z } from "zod";
import { KEY_BYTES_MAX } from "../keys/key.ts";
import { asOfSchema, OldestHold, Waiters } from "./lock.ts";
import { Owner, OwnerListQuery } from "./owner.ts";

export const NAMESPACE_DEPTH_MAX = 8;

export const NamespaceListQuery = OwnerListQuery.omit({ by: true }).extend({
  prefix: z.string().max(KEY_BYTES_MAX).default("").meta({
    description: "Only keys that begin with this very text; `name` of a namespace lists what is in it.",
    example: "lock:",
  }),
  depth: z.coerce.number().int().min(1).max(NAMESPACE_DEPTH_MAX).default(1).meta({
    description: "So many segments after the prefix, each with the `:` that ends it, make a name.",
  }),
});
export type NamespaceListQuery = z.infer<typeof NamespaceListQuery>;

export const Namespace = Owner.omit({ nameBase64: true, filter: true })
  .extend({
    name: z.string().meta({
      description: "What its keys begin with, up to and with a `:`.",
      example: "lock:orders:",
    }),
    holds: z.int().meta({ description: "How many of its keys are held." }),
    deeper: z.int().meta({
      description: "How many of these have another namespace in it; 0: `prefix` with its name lists nothing.",
    }),
    oldest: OldestHold.meta({ description: "Its lock that is held for longest." }),
    waiters: Waiters.meta({
      description: "Who waits for its locks that are held, all together.",
    }),
  })
  .meta({ id: "Namespace" });
export type Namespace = z.infer<typeof Namespace>;

export const NamespaceList = z
  .object({
    items: z.array(Namespace),
    total: z.int(),
    without: z.int().meta({
      description: "Locks whose keys begin with the prefix, but have fewer segments or are not UTF-8.",
    }),
    next: z.string().optional(),
    asOf: asOfSchema,
  })
  .meta({ id: "NamespaceList" });
export type NamespaceList = z.infer<typeof NamespaceList>;
