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
  "release_requested",
  "release_request_accepted",
  "release_request_refused",
  "waiting",
  "wait_ended",
  "seen",
  "recreated",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const FREQUENT_TYPES: ReadonlySet<EventType> = new Set(["renewed", "waiting", "wait_ended"]);

/**
 * Returns whether an event is streamed but not stored. Frequent events, such as renewals, are not stored, because they
 * would displace other events from the history. Events that an operator caused (`by`) are always stored.
 */
export function isLiveOnly({ type, by }: Pick<LockEvent, "type" | "by">): boolean {
  return FREQUENT_TYPES.has(type) && by === undefined;
}

/** Event types that report the end of a hold. */
export const END_EVENT_TYPES: ReadonlySet<EventType> = new Set([
  "released",
  "expired",
  "evicted",
  "force_released",
]);

export const LockEvent = z
  .object({
    id: z.string().meta({ description: "Identifies the event. Ids are the same on all instances." }),
    type: z.enum(EVENT_TYPES).meta({
      description:
        "`acquired`: a hold began. `reentered`: its count rose. `renewed`: its lease was extended. `released`: its owner released it. `expired`: its lease ended. `evicted`: Redis evicted the key. `force_released`: an operator released it. `release_requested`: an operator asked the holder to release it. `release_request_accepted`, `release_request_refused`: the holder answered. `waiting`, `wait_ended`: a client started or stopped waiting. `seen`: Lockkeeper found a hold whose start it did not observe. `recreated`: a hold that was force-released exists again.",
    }),
    target: z.string().meta({ description: "Name of the target." }),
    ...keyFields,
    at: z.int().meta({ description: "Redis clock, in Unix milliseconds." }),
    owner: z.string().optional().meta({ description: "Owner of the hold, or the waiting client." }),
    count: z.int().optional().meta({ description: "Re-entrancy count after the event." }),
    fence: z.string().optional().meta({ description: "Fencing token of the hold. Absent if it has none." }),
    heldMs: z.int().optional().meta({
      description: "On events that end a hold: how long it was held, in milliseconds. Absent if unknown.",
    }),
    by: z.string().optional().meta({
      description: "Operator or API key that forced or requested the action. Absent on all other events.",
    }),
    reason: z.string().optional().meta({
      description:
        "Reason that the operator entered. On `release_request_accepted` and `release_request_refused`, the text of the holder's answer.",
    }),
    seq: z.int().optional().meta({
      description: "Sequence number of the event within its hold. Only holds with a fencing token have one.",
    }),
    shared: z.literal(true).optional().meta({
      description:
        "Present if the lock can have other holders at the same time: readers, and holders of permits. On events that end the hold of a semaphore, it can be absent.",
    }),
    was: z.string().optional().meta({
      description:
        "Only on `GET /live`: the id under which this event was sent while it could not be recorded.",
    }),
    observed: z.enum(["exact", "inferred"]).meta({
      description:
        "`exact`: reported when it happened. `inferred`: derived from the observed state of Redis.",
    }),
  })
  .meta({ id: "LockEvent" });
export type LockEvent = z.infer<typeof LockEvent>;

export const GapEvent = z
  .object({
    id: z.string().meta({ description: "Identifies the event." }),
    type: z.literal("gap"),
    target: z.string().meta({ description: "Name of the target." }),
    at: z.int().meta({ description: "Same as `to`." }),
    from: z.int().meta({ description: "Start of the gap, Redis clock, in Unix milliseconds." }),
    to: z.int().meta({ description: "End of the gap, Redis clock, in Unix milliseconds." }),
  })
  .meta({
    id: "GapEvent",
    description:
      "A period in which no Lockkeeper instance watched the target. Events in this period are missing.",
  });
export type GapEvent = z.infer<typeof GapEvent>;

/** An entry of the history: a lock event or a gap. */
export const HistoryEntry = z.discriminatedUnion("type", [LockEvent, GapEvent]);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const EventsHello = z
  .object({
    oldest: z.string().nullable().meta({
      description: "Id of the oldest stored event. null if there is none.",
    }),
    newest: z.string().nullable().meta({
      description: "Id of the newest stored event. null if there is none.",
    }),
    now: z.int().meta({ description: "Redis clock, in Unix milliseconds." }),
  })
  .meta({
    id: "EventsHello",
    description: "First message of the stream: the range of events that can be replayed.",
  });
export type EventsHello = z.infer<typeof EventsHello>;

export const PastHold = z
  .object({
    owner: z.string().meta({ description: "Owner of the hold." }),
    fence: z.string().optional().meta({ description: "Fencing token of the hold. Absent if it has none." }),
    since: z.int().meta({ description: "Start of the hold, Redis clock, in Unix milliseconds." }),
    sinceIs: z.enum(["exact", "at_least"]).meta({
      description:
        "`exact`: the start was observed. `at_least`: the lock was already held when it was first observed.",
    }),
    until: z.int().nullable().meta({
      description:
        "End of the hold, Redis clock, in Unix milliseconds. null if the history does not contain it.",
    }),
    end: z.enum(["recorded", "open", "unobserved"]).meta({
      description:
        "`recorded`: `ended` is the event that ended the hold. `open`: the hold has not ended in the recorded history. `unobserved`: it ended during a gap, or another hold followed without a recorded end.",
    }),
    lastSeen: z.int().optional().meta({
      description:
        "On `unobserved`: the last time at which the hold was certainly observed, in Unix milliseconds.",
    }),
    ended: LockEvent.optional().meta({ description: "On `recorded`: the event that ended the hold." }),
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
    .meta({ description: "Maximum number of entries per page." }),
  cursor: z
    .string()
    .max(31)
    .regex(/^\d{1,15}-\d{1,15}$/, "must be the `next` value of the previous page")
    .optional()
    .meta({
      description: "`next` of the previous page.",
      example: "1795216496123-0",
    }),
};

const TYPE_NAMES = [...EVENT_TYPES, "gap"] as const;
const KNOWN_TYPE_NAMES: ReadonlySet<string> = new Set(TYPE_NAMES);
const Types = z
  .string()
  .max(300)
  .refine((text) => text.split(",").every((name) => KNOWN_TYPE_NAMES.has(name)), {
    message: `must be one or more of ${TYPE_NAMES.join(", ")}, separated by commas`,
  })
  .optional()
  .meta({
    description: `One or more event types, separated by commas: ${TYPE_NAMES.join(", ")}.`,
    example: "expired,evicted",
  });
const createGlobSchema = (what: string, example: string) =>
  z
    .string()
    .max(300)
    .optional()
    .meta({ description: `${what}. \`*\` and \`?\` are wildcards.`, example });

/** A filter with the syntax of `GET /locks`, limited to terms that apply to events. */
const EventText = z
  .string()
  .max(300)
  .superRefine((text, context) => {
    const word = findLockOnlyTerm(text);
    if (word !== undefined) {
      const message = `${word} applies to locks, not to events; search events by key:, owner: or plain text`;
      context.addIssue({ code: "custom", message });
    }
  });

/**
 * Filter fields of routes that return events. An entry must match all given fields. Gaps always match unless `type`
 * excludes them.
 */
export const eventFilterFields = {
  key: createGlobSchema("Key of the lock", "lock:orders:*"),
  owner: createGlobSchema("Owner of the hold", "worker-7*"),
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
    description:
      "`newest_first`: following pages have older events. `oldest_first`: following pages have newer events.",
  }),
  text: EventText.optional().meta({
    description:
      "Filter as in `GET /locks`, limited to `key:`, `owner:` and plain text. Plain text also matches the operator and the reason of an event.",
    example: "billing",
  }),
  from: timeParameterSchema.optional().meta({
    description: "Start of the period, inclusive, Redis clock, in Unix milliseconds.",
    example: 1_795_210_000_000,
  }),
  to: timeParameterSchema.optional().meta({
    description: "End of the period, inclusive, Redis clock, in Unix milliseconds.",
    example: 1_795_216_504_643,
  }),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const KeyHistoryQuery = z.strictObject({
  ...pageFields,
  at: timeParameterSchema.optional().meta({
    description:
      "A point in time, Redis clock, in Unix milliseconds. `holds` then lists the holds at that time.",
    example: 1_795_216_500_000,
  }),
});
export type KeyHistoryQuery = z.infer<typeof KeyHistoryQuery>;

export const History = z
  .object({
    items: z.array(HistoryEntry),
    next: z.string().optional().meta({
      description: "`cursor` for the next page. Absent on the last page.",
    }),
    complete: z.boolean().meta({
      description: "true on the last page if no older events have been deleted. false on all other pages.",
    }),
    holds: z.array(PastHold).optional().meta({
      description: "Holds that existed at `at`. Present only with `at`.",
    }),
  })
  .meta({
    id: "History",
    description: "A page of events and gaps, newest first unless `order` is `oldest_first`.",
  });
export type History = z.infer<typeof History>;
