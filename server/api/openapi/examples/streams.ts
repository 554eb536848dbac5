import { z } from "zod";
import { EVENT_TYPES, EventsHello, GapEvent, isLiveOnly, LockEvent } from "../../../../lib/contract/event.ts";
import { LIVE_MESSAGES } from "../../../../lib/contract/live.ts";
import { asOfSchema, Lock } from "../../../../lib/contract/lock.ts";
import type { StreamMessage } from "../../routing/route.ts";
import { ACQUIRED_EVENT, EVENTS_HELLO, GAP_EVENT, HELD_LOCK } from "./locks.ts";
import { HEALTH, LIVE_HELLO } from "./targets.ts";

type StreamMessages = Readonly<Record<string, StreamMessage>>;

const EVENTS_LOST = z.object({ oldest: z.string().nullable() }).meta({ id: "EventsLost" });
const GAP = z.union([GapEvent, EVENTS_LOST]).meta({ id: "EventsGap" });
const RESET = z.object({ newest: z.string().nullable(), total: z.int() }).meta({ id: "EventsReset" });
const SNAPSHOT = z.object({ items: z.array(Lock), asOf: asOfSchema }).meta({ id: "EventsSnapshot" });

/** The messages of GET /events. */
export const EVENT_MESSAGES: StreamMessages = {
  hello: {
    description: "The first message: what can be replayed.",
    schema: EventsHello,
    example: EVENTS_HELLO,
  },
  gap: {
    description:
      "With an id: nobody watched from `from` to `to`. Without one, after `hello`: events after the `Last-Event-ID` are not kept any more; `oldest` is the first that is.",
    schema: GAP,
    example: GAP_EVENT,
  },
  reset: {
    description: "The `Last-Event-ID` is not known here: forget what you know; `snapshot` messages follow.",
    schema: RESET,
    example: { newest: ACQUIRED_EVENT.id, total: 1 },
  },
  snapshot: {
    description: "After `reset`: held locks, 500 a message.",
    schema: SNAPSHOT,
    example: { items: [HELD_LOCK], asOf: HELD_LOCK.asOf },
  },
  ...Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        description: isLiveOnly({ type })
          ? "An event; without an id and not kept, unless an operator did it."
          : "An event.",
        schema: LockEvent,
        example: { ...ACQUIRED_EVENT, type },
      },
    ]),
  ),
};

const now = HEALTH.now;

const LIVE_MESSAGE_DOCS: { readonly [Name in keyof typeof LIVE_MESSAGES]: Omit<StreamMessage, "schema"> } = {
  hello: { description: "The first message: which stream, who looks, at what.", example: LIVE_HELLO },
  health: { description: "How the target is, every second.", example: HEALTH },
  window: {
    description: "The rows that the view asks for.",
    example: { now, filter: "", sort: "key", offset: 0, total: 1, held: 1, items: [HELD_LOCK] },
  },
  rows: {
    description:
      "What has changed since the `window` or `rows` before: a row's place there, null for the same place, or a lock that is new or looks different.",
    example: { now, total: 1, held: 1, rows: [{}] },
  },
  kept: {
    description:
      "Of the view's `keep`: those that look different, or are free, and are not told by the window.",
    example: { now, items: [{ lock: HELD_LOCK }] },
  },
  lock: { description: "The lock that the view names.", example: { now, lock: HELD_LOCK } },
  recent: { description: "The latest events of the view, once.", example: { items: [ACQUIRED_EVENT] } },
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
