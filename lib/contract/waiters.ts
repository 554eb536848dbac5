import { z } from "zod";
import { asOfSchema, keyFields, Waiters } from "./lock.ts";

/** How many of those who wait are told of. */
export const WAITERS_LISTED_MAX = 100;

export const LockWaiter = z
  .object({
    owner: z.string().meta({ description: "Who will hold it: the owner that it waits as." }),
    ownerBase64: z
      .string()
      .optional()
      .meta({ description: "The bytes of the owner, present only when they are not UTF-8." }),
    by: z.enum(["lockkeeper", "library"]).meta({
      description: "lockkeeper: it waits by our own verbs. library: its library wrote it down.",
    }),
    place: z.int().min(1).nullable().meta({
      description: "1 is served next; null: its place cannot be told.",
    }),
    since: z.int().nullable().meta({
      description: "When it began to wait, Redis's clock, Unix milliseconds; null: written nowhere.",
    }),
    until: z.int().nullable().meta({
      description: "When it is given up, unless it asks again before that; null: written nowhere.",
    }),
  })
  .meta({ id: "LockWaiter" });
export type LockWaiter = z.infer<typeof LockWaiter>;

export const LockWaiters = z
  .object({
    target: z.string(),
    ...keyFields,
    waiters: Waiters,
    order: z.enum(["queue", "first_come", "by_process", "unknown"]).meta({
      description:
        "queue: Redis keeps their order, and serves nobody else before. first_come: one process serves them in the order in which they came; whoever asks at the right moment may come between. by_process: several processes listen, each serves its own in the order in which they came, and which process is first is open. unknown: the order cannot be determined.",
    }),
    named: z.int().meta({ description: "How many of them are known by name." }),
    items: z.array(LockWaiter).meta({
      description: `Those that are known by name, who is served next first, then who has waited longest; at most ${WAITERS_LISTED_MAX}.`,
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "LockWaiters", description: "Who waits for a lock, as far as it can be seen." });
export type LockWaiters = z.infer<typeof LockWaiters>;
export type WaitersOrder = LockWaiters["order"];
