import { z } from "zod";
import { asOfSchema, keyFields, Waiters } from "./lock.ts";

/** Maximum number of waiters listed in a response. */
export const WAITERS_LISTED_MAX = 100;

export const LockWaiter = z
  .object({
    owner: z.string().meta({ description: "Owner that will hold the lock." }),
    ownerBase64: z
      .string()
      .optional()
      .meta({ description: "Bytes of the owner in base64. Present only if they are not valid UTF-8." }),
    by: z.enum(["lockkeeper", "library"]).meta({
      description: "`lockkeeper`: waits through the Lockkeeper API. `library`: registered by its library.",
    }),
    place: z.int().min(1).nullable().meta({
      description: "Position in the queue; 1 is served next. null if unknown.",
    }),
    since: z.int().nullable().meta({
      description: "Start of the wait, Redis clock, in Unix milliseconds. null if unknown.",
    }),
    until: z.int().nullable().meta({
      description:
        "When the wait ends unless the client repeats its request, Redis clock, in Unix milliseconds. null if unknown.",
    }),
  })
  .meta({ id: "LockWaiter" });
export type LockWaiter = z.infer<typeof LockWaiter>;

export const LockWaiters = z
  .object({
    target: z.string().meta({ description: "Name of the target." }),
    ...keyFields,
    waiters: Waiters,
    order: z.enum(["queue", "first_come", "by_process", "unknown"]).meta({
      description:
        "How reliable the order of `items` is. `queue`: Redis stores the order, and no other client can get in first. `first_come`: one process serves waiters in the order of arrival, but a new client can get in first. `by_process`: several processes serve their own waiters in order of arrival; which process is first is undetermined. `unknown`: the order cannot be determined.",
    }),
    named: z.int().meta({ description: "Number of waiters known by name." }),
    items: z.array(LockWaiter).meta({
      description: `Waiters known by name: next in the queue first, then by wait time; at most ${WAITERS_LISTED_MAX}.`,
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "LockWaiters", description: "Visible waiters of a lock." });
export type LockWaiters = z.infer<typeof LockWaiters>;
export type WaitersOrder = LockWaiters["order"];
