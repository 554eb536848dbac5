import { z } from "zod";

const LiveFilterCount = z
  .object({
    filter: z.string(),
    total: z.int().meta({ description: "Number of locks that match the filter." }),
  })
  .meta({ id: "LiveFilterCount" });

const LiveNamespaceCount = z
  .object({
    name: z.string().meta({ description: "Common prefix of the keys.", example: "lock:orders:" }),
    holds: z.int().meta({ description: "Number of held locks. 0 if the namespace has ended." }),
    needsAttention: z.int().meta({ description: "Number of these that need attention." }),
    waiting: z.int().meta({ description: "Number of visible waiters of these locks." }),
  })
  .meta({ id: "LiveNamespaceCount" });
export type LiveNamespaceCount = z.infer<typeof LiveNamespaceCount>;

/** The counts that a page shows, all from the same point in time. */
export const LiveCounts = z
  .object({
    now: z.int(),
    held: z.int().meta({ description: "Number of held locks." }),
    waiting: z.int().meta({ description: "Number of visible waiters." }),
    needsAttention: z.int().meta({
      description: "Number of locks that match the filter `is:needs_attention`.",
    }),
    filters: z.array(LiveFilterCount).meta({
      description: "Counts of the filters in `counts`, without those that are still being evaluated.",
    }),
    namespaces: z.array(LiveNamespaceCount).meta({
      description:
        "Namespaces below the prefixes in `namespaces` whose counts changed since the previous `counts` message. At most 50 per prefix, those with the most locks.",
    }),
    complete: z.boolean().meta({
      description: "true: `namespaces` has all counted namespaces, not only those that changed.",
    }),
  })
  .meta({ id: "LiveCounts" });
export type LiveCounts = z.infer<typeof LiveCounts>;
