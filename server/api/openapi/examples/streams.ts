import { z } from "zod";
import { EVENT_TYPES, EventsHello, GapEvent, isLiveOnly, LockEvent } from "../../../../lib/contract/event.ts";
import { LIVE_MESSAGES } from "../../../../lib/contract/live.ts";
import { asOfSchema, Lock } from "../../../../lib/contract/lock.ts";
import type { StreamMessage } from "../../routing/route.ts";
import { ACQUIRED_EVENT, EVENTS_HELLO, GAP_EVENT, HELD_LOCK } from "./locks.ts";
import { HEALTH, LIVE_HELLO } from "./targets.ts";

type StreamMessages = Readonly<Record<string, StreamMessage>>;

const EVENTS_LOST = z
  .object({
    oldest: z
      .string()
      .nullable()
      .meta({ description: "Id of the oldest stored event. null if there is none." }),
  })
  .meta({ id: "EventsLost", description: "Events after the `Last-Event-ID` have been deleted." });
const GAP = z.union([GapEvent, EVENTS_LOST]).meta({ id: "EventsGap" });
const RESET = z
  .object({
    newest: z
      .string()
      .nullable()
      .meta({ description: "Id of the newest stored event. null if there is none." }),
    total: z.int().meta({ description: "Number of held locks when the snapshot began." }),
  })
  .meta({ id: "EventsReset", description: "Discard your state; `snapshot` messages follow." });
const SNAPSHOT = z
  .object({
    items: z.array(Lock),
    asOf: asOfSchema,
    complete: z.boolean().meta({ description: "true in the last `snapshot` message." }),
  })
  .meta({ id: "EventsSnapshot" });

/** The messages of GET /events. */
export const EVENT_MESSAGES: StreamMessages = {
  hello: {
    description: "The first message: the range of events that can be replayed.",
    schema: EventsHello,
    example: EVENTS_HELLO,
  },
  gap: {
    description:
      "With an id: no instance watched the target between `from` and `to`. Without an id, after `hello`: events after the `Last-Event-ID` have been deleted; `oldest` is the first one that is stored.",
    schema: GAP,
    example: GAP_EVENT,
  },
  reset: {
    description: "The `Last-Event-ID` is unknown. Discard your state; `snapshot` messages follow.",
    schema: RESET,
    example: { newest: ACQUIRED_EVENT.id, total: 1 },
  },
  snapshot: {
    description:
      "After `reset`: held locks, at most 100 per message, in the order of their keys, each as of its message. The last message has `complete: true`; a message with only an id follows, if events are stored. Events since `reset` follow; some may be included in the snapshot.",
    schema: SNAPSHOT,
    example: { items: [HELD_LOCK], asOf: HELD_LOCK.asOf, complete: true },
  },
  ...Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        description: isLiveOnly({ type })
          ? "An event. It has no id and is not stored, unless an operator caused it."
          : "An event.",
        schema: LockEvent,
        example: { ...ACQUIRED_EVENT, type },
      },
    ]),
  ),
};

const now = HEALTH.now;

const LIVE_MESSAGE_DOCS: { readonly [Name in keyof typeof LIVE_MESSAGES]: Omit<StreamMessage, "schema"> } = {
  hello: { description: "The first message: the stream, the operator and the target.", example: LIVE_HELLO },
  health: { description: "State of the target, sent every second.", example: HEALTH },
  window: {
    description: "The rows of the view.",
    example: { now, filter: "", sort: "key", offset: 0, total: 1, held: 1, items: [HELD_LOCK] },
  },
  rows: {
    description:
      "Changes since the previous `window` or `rows` message. Each row has its lock, if it is new or changed, or its previous index, if it moved.",
    example: { now, total: 1, held: 1, rows: [{}] },
  },
  counts: {
    description:
      "Counts of the target and of the filters and namespaces of the view, all of one moment. Sent when they change, at most four times a second.",
    example: {
      ...{ now, held: 305, waiting: 3, needsAttention: 2 },
      filters: [{ filter: "waiters>0", total: 1 }],
      namespaces: [{ name: "lock:orders:", holds: 120, needsAttention: 2, waiting: 3 }],
      complete: true,
    },
  },
  kept: {
    description: "Locks of `keep` whose current state is not in the window.",
    example: { now, items: [{ lock: HELD_LOCK }] },
  },
  lock: { description: "The lock that the view names.", example: { now, lock: HELD_LOCK } },
  recent: { description: "The latest events of the view, sent once.", example: { items: [ACQUIRED_EVENT] } },
  events: {
    description: "Events of the view as they happen.",
    example: { items: [ACQUIRED_EVENT], skipped: 0 },
  },
};

/** The messages of GET /live. */
export const LIVE_STREAM_MESSAGES: StreamMessages = Object.fromEntries(
  Object.entries(LIVE_MESSAGE_DOCS).map(([name, shown]) => [
    name,
    { ...shown, schema: LIVE_MESSAGES[name as keyof typeof LIVE_MESSAGES] },
  ]),
);
