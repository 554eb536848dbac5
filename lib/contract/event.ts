import { z } from "zod";
import { keyFields } from "./lock.ts";

export const EVENT_TYPES = [
  "acquired",
  "reentered",
  "renewed",
  "released",
  "expired",
  "evicted",
  "force_released",
  "waiting",
  "wait_ended",
  "seen",
  "recreated",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Told as they happen, and not kept: they would push out everything that anyone wants to look up. */
export const LIVE_ONLY: ReadonlySet<EventType> = new Set(["renewed", "waiting", "wait_ended"]);

/** The events that end a hold. */
export const ENDINGS: ReadonlySet<EventType> = new Set(["released", "expired", "evicted", "force_released"]);

export const LockEvent = z
  .object({
    id: z.string(),
    type: z.enum(EVENT_TYPES).meta({
      description:
        "recreated: the very hold that was freed by force is there again, made anew by its library or by hand.",
    }),
    target: z.string(),
    ...keyFields,
    at: z.number().meta({ description: "Redis's clock, Unix milliseconds." }),
    owner: z.string().optional(),
    count: z.int().optional(),
    fence: z.string().optional(),
    heldMs: z
      .number()
      .optional()
      .meta({ description: "On an ending: how long it was held, as far as known." }),
    by: z.string().optional().meta({ description: "Who forced it." }),
    reason: z.string().optional(),
    observed: z
      .enum(["exact", "derived"])
      .meta({ description: "derived: concluded from what was seen in Redis." }),
  })
  .meta({ id: "LockEvent" });
export type LockEvent = z.infer<typeof LockEvent>;

export const EventsHello = z
  .object({ oldest: z.string().nullable(), newest: z.string().nullable(), now: z.number() })
  .meta({ id: "EventsHello", description: "First message of the stream: what can be replayed." });
export type EventsHello = z.infer<typeof EventsHello>;

export const History = z
  .object({
    items: z.array(LockEvent),
    complete: z.boolean().meta({ description: "false: older events have left the buffer." }),
  })
  .meta({ id: "History", description: "Newest first." });
export type History = z.infer<typeof History>;
