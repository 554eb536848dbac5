import { z } from "zod";
import { KEY_BYTES_MAX } from "../keys/key.ts";
import { listAsOfSchema, OldestHold, Waiters } from "./lock.ts";
import { Owner, OwnerListQuery } from "./owner.ts";

export const NAMESPACE_DEPTH_MAX = 8;

export const NamespaceListQuery = OwnerListQuery.omit({ by: true }).extend({
  prefix: z.string().max(KEY_BYTES_MAX).default("").meta({
    description:
      "Only keys that start with this exact text. Pass the `name` of a namespace to list its children.",
    example: "lock:",
  }),
  depth: z.coerce.number().int().min(1).max(NAMESPACE_DEPTH_MAX).default(1).meta({
    description: "Number of segments after the prefix that form a name. Each segment ends with `:`.",
  }),
});
export type NamespaceListQuery = z.infer<typeof NamespaceListQuery>;

export const Namespace = Owner.omit({ nameBase64: true, filter: true })
  .extend({
    name: z.string().meta({
      description: "Common prefix of the keys, including the trailing `:`.",
      example: "lock:orders:",
    }),
    holds: z.int().meta({ description: "Number of held locks in the namespace." }),
    deeper: z.int().meta({
      description: "Number of held locks that belong to a nested namespace. 0 if it has no children.",
    }),
    oldest: OldestHold.meta({ description: "Longest-running hold in the namespace." }),
    waiters: Waiters.meta({
      description: "Waiters of all held locks in the namespace.",
    }),
  })
  .meta({ id: "Namespace" });
export type Namespace = z.infer<typeof Namespace>;

export const NamespaceList = z
  .object({
    items: z.array(Namespace),
    total: z.int().meta({ description: "Number of namespaces, on all pages." }),
    without: z.int().meta({
      description:
        "Number of locks whose keys start with the prefix, but have fewer segments or are not valid UTF-8.",
    }),
    next: z.string().optional().meta({ description: "`cursor` for the next page. Absent on the last page." }),
    asOf: listAsOfSchema,
  })
  .meta({ id: "NamespaceList" });
export type NamespaceList = z.infer<typeof NamespaceList>;
