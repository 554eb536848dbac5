import { z } from "zod";
import { findLockOnlyTerm } from "../query/event-terms.ts";
import { keyFields, timeParameterSchema } from "./lock.ts";

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

const FREQUENT_TYPES: ReadonlySet<EventType> = new Set(["renewed", "waiting", "wait_ended"]);

/**
 * Told as it happens, and not kept: such events would push out everything that anyone wants to look up. What an operator
 * did (`by`) is kept.
 */
export function isLiveOnly({ type, by }: Pick<LockEvent, "type" | "by">): boolean {
  return FREQUENT_TYPES.has(type) && by === undefined;
}

/** The events that end a hold. */
export const END_EVENT_TYPES: ReadonlySet<EventType> = new Set([
  "released",
  "expired",
  "evicted",
  "force_released",
]);

export const LockEvent = z
  .object({
    id: z.string(),
    type: z.enum(EVENT_TYPES).meta({
      description:
        "recreated: the very hold that was freed by force is there again, made anew by its library or by hand.",
    }),
    target: z.string(),
    ...keyFields,
    at: z.int().meta({ description: "Redis's clock, Unix milliseconds." }),
    owner: z.string().optional(),
    count: z.int().optional(),
    fence: z.string().optional(),
    heldMs: z.int().optional().meta({ description: "On an ending: how long it was held, as far as known." }),
    by: z.string().optional().meta({ description: "Who forced it." }),
    reason: z.string().optional(),
    seq: z
      .int()
      .optional()
      .meta({ description: "Of a hold with a fence: the number of this change within it." }),
    was: z.string().optional().meta({
      description:
        "On the console's stream: the id under which this very event was told while it could not be recorded.",
    }),
    observed: z
      .enum(["exact", "inferred"])
      .meta({ description: "inferred: concluded from what was seen in Redis." }),
  })
  .meta({ id: "LockEvent" });
export type LockEvent = z.infer<typeof LockEvent>;

export const GapEvent = z
  .object({
    id: z.string(),
    type: z.literal("gap"),
    target: z.string(),
    at: z.int().meta({ description: "As `to`." }),
    from: z.int().meta({ description: "Redis's clock, Unix milliseconds." }),
    to: z.int(),
  })
  .meta({
    id: "GapEvent",
    description: "Nobody watched the target in this time: what happened then is not told.",
  });
export type GapEvent = z.infer<typeof GapEvent>;

/** What a history consists of. */
export const HistoryEntry = z.discriminatedUnion("type", [LockEvent, GapEvent]);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const EventsHello = z
  .object({ oldest: z.string().nullable(), newest: z.string().nullable(), now: z.int() })
  .meta({ id: "EventsHello", description: "First message of the stream: what can be replayed." });
export type EventsHello = z.infer<typeof EventsHello>;

export const PastHold = z
  .object({
    owner: z.string(),
    fence: z.string().optional(),
    since: z.int().meta({ description: "Redis's clock, Unix milliseconds." }),
    sinceIs: z.enum(["exact", "at_least"]).meta({
      description: "at_least: it was already held when it was first seen.",
    }),
    until: z.int().nullable().meta({ description: "null: its end is not told." }),
    end: z.enum(["recorded", "open", "unobserved"]).meta({
      description:
        "open: it has not ended as far as the history goes. unobserved: it ended while nobody watched, or was followed by another hold.",
    }),
    lastSeen: z.int().optional().meta({ description: "unobserved: until when it was certainly watched." }),
    ended: LockEvent.optional().meta({ description: "recorded: the event that ended it." }),
  })
  .meta({ id: "PastHold" });
export type PastHold = z.infer<typeof PastHold>;

const PAGE_MAX = 500;
const pageFields = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(PAGE_MAX)
    .default(200)
    .meta({ description: "How many a page has at most." }),
  cursor: z
    .string()
    .max(31)
    .regex(/^\d{1,15}-\d{1,15}$/, "cursor is the `next` of the page before")
    .optional()
    .meta({ description: "`next` of the page before.", example: "1795216496123-0" }),
};

const TYPE_NAMES = [...EVENT_TYPES, "gap"] as const;
const KNOWN_TYPE_NAMES: ReadonlySet<string> = new Set(TYPE_NAMES);
const Types = z
  .string()
  .max(300)
  .refine((text) => text.split(",").every((name) => KNOWN_TYPE_NAMES.has(name)), {
    message: `type is one or several of ${TYPE_NAMES.join(", ")}, with commas between`,
  })
  .optional()
  .meta({ description: `Of ${TYPE_NAMES.join(", ")}, with commas between.`, example: "expired,evicted" });
const createGlobSchema = (what: string, example: string) =>
  z
    .string()
    .max(300)
    .optional()
    .meta({ description: `${what}; * and ? are wild.`, example });

/** Words of the list of locks, as far as an event can have them. */
const EventText = z
  .string()
  .max(300)
  .superRefine((text, context) => {
    const word = findLockOnlyTerm(text);
    if (word !== undefined) {
      const message = `no event has ${word}, which is asked of locks: events are found by key:, owner: and plain text`;
      context.addIssue({ code: "custom", message });
    }
  });

/** Which events are wanted; all that is named must match. Gaps match whatever is asked for, unless `type` leaves them out. */
export const eventFilterFields = {
  key: createGlobSchema("Of these keys", "lock:orders:*"),
  owner: createGlobSchema("Of these owners", "worker-7*"),
  type: Types,
};
export const EventFilter = z.strictObject(eventFilterFields);
export type EventFilter = z.infer<typeof EventFilter>;

export const HistoryOrder = z.enum(["newest_first", "oldest_first"]);
export type HistoryOrder = z.infer<typeof HistoryOrder>;

export const HistoryQuery = z.strictObject({
  ...pageFields,
  ...eventFilterFields,
  order: HistoryOrder.default("newest_first").meta({
    description: "`cursor` is behind in this order: older with newest_first, newer with oldest_first.",
  }),
  text: EventText.optional().meta({
    description: "Words as in the list of locks; also of who freed it, and why.",
    example: "billing",
  }),
  from: timeParameterSchema.optional().meta({
    description: "Not before, Unix milliseconds of Redis's clock.",
    example: 1_795_210_000_000,
  }),
  to: timeParameterSchema.optional().meta({ description: "Not after.", example: 1_795_216_504_643 }),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const KeyHistoryQuery = z.strictObject({
  ...pageFields,
  at: timeParameterSchema.optional().meta({
    description: "A moment: `holds` then tells who held the lock, and how that ended.",
    example: 1_795_216_500_000,
  }),
});
export type KeyHistoryQuery = z.infer<typeof KeyHistoryQuery>;

export const History = z
  .object({
    items: z.array(HistoryEntry),
    next: z.string().optional().meta({
      description:
        "`cursor` of the page behind: with older events, or newer ones where the oldest come first.",
    }),
    complete: z.boolean().meta({
      description: "At the end, where `next` is missing. false: older events are not kept any more.",
    }),
    holds: z.array(PastHold).optional().meta({ description: "With `at`: those that covered the moment." }),
  })
  .meta({ id: "History", description: "Newest first, unless asked for otherwise." });
export type History = z.infer<typeof History>;
