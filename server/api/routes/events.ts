import { z } from "zod";
import { END_EVENT_TYPES, EventFilter, type HistoryEntry } from "../../../lib/contract/event.ts";
import { formatKey, type Key, parseKeyFields } from "../../../lib/keys/key.ts";
import { createEventMatcher } from "../../../lib/query/event-matcher.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import type { PublishedEvent } from "../../history/journal.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { Target } from "../../targets/target.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { formatSseEvent, formatSseId, isTooFarBehind, SSE_HEADERS } from "../http/sse.ts";
import { EVENT_MESSAGES } from "../openapi/examples/streams.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { restrictEvents } from "./history.ts";

const SNAPSHOT_PAGE = 500;
/** Longest delivery of an event from Redis to its readers. It is longer while recording is down; the event is then sent as new. */
const DELIVERY_LAG_MAX_MS = 10_000;

const LAST_EVENT_ID = z.object({
  "Last-Event-ID": z.string().max(64).optional().meta({
    description: "Id of the last event that you received. The stream resumes after it.",
    example: "1795216496123-0",
  }),
});

/** The event stream, for applications and scripts. */
export function createEventRoutes({ streams }: Services): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/events",
      operationId: "streamEvents",
      tag: "Events",
      access: "read",
      summary: "Stream events",
      description:
        "Streams lock events as server-sent events, each named by its type. With `Last-Event-ID` the stream resumes after that event: `gap` reports that events in between have been deleted; if the id is unknown, `reset` and `snapshot` messages carry all held locks. `key`, `owner` and `type` filter events, but not `reset` and `snapshot`.",
      query: EventFilter,
      filtersByGrant: true,
      headers: LAST_EVENT_ID,
      response: {
        status: 200,
        description:
          "The stream. It stays open until the client disconnects. The first message is `hello`. Event ids are the same on all instances. Renewals and waits have no id and are not replayed, unless an operator caused them. Events that cannot be recorded yet have no id; a message with only the id follows when they are recorded.",
        stream: "LockEventStreamData",
        messages: EVENT_MESSAGES,
      },
      errors: ["too_many_streams"],
      handle: ({ target, request, query, principal, isStillAuthorized }) => {
        streams.assertCapacity(principal.id);
        const allowedKeys = getAllowedKeys(principal, "read", target.name);
        return {
          status: 200,
          headers: SSE_HEADERS,
          body: (sink) => {
            streams.register(sink, principal.id, isStillAuthorized);
            void streamEvents(target, sink, {
              filter: query,
              allowedKeys,
              lastId: request.header("last-event-id"),
            });
          },
        };
      },
    }),
  ];
}

interface EventStreamOptions {
  readonly filter: EventFilter;
  readonly allowedKeys: KeyPatternSet | undefined;
  readonly lastId: string | undefined;
}

async function streamEvents(
  target: Target,
  sink: ResponseSink,
  { filter, allowedKeys, lastId }: EventStreamOptions,
): Promise<void> {
  const { journal, watcher } = target;
  const isWanted = restrictEvents(createEventMatcher(filter), allowedKeys);
  const send = ({ entry, isStored, previousId }: PublishedEvent) => {
    if (isTooFarBehind(sink)) sink.close();
    else if (!isWanted(entry)) return;
    else if (previousId !== undefined) sink.write(formatSseId(entry.id));
    else sink.write(formatSseEvent(entry.type, entry, isStored ? entry.id : undefined));
  };
  const { oldest, newest } = journal;
  sink.write(formatSseEvent("hello", { oldest, newest, now: watcher.clock.now() }));
  const replayed = lastId ? journal.replayAfter(lastId) : undefined;
  if (replayed?.kind === "reset") {
    // An event can be published before its lock is indexed, and would then be in neither the snapshot nor the stream.
    const meanwhile: PublishedEvent[] = [];
    const stop = journal.subscribeAll((published) => meanwhile.push(published));
    await watcher.waitUntilSettled();
    stop();
    let shown: SentSnapshot | undefined = sendSnapshot(target, sink, allowedKeys);
    // An event that the snapshot includes can be published later, once it has been recorded.
    const sendEvent = (published: PublishedEvent) => {
      // No event of the snapshot can still be in flight.
      if (shown !== undefined && published.entry.at > shown.asOf + DELIVERY_LAG_MAX_MS) shown = undefined;
      if (shown === undefined || !isInSnapshot(shown, published.entry)) send(published);
    };
    for (const published of meanwhile) sendEvent(published);
    sink.onClose(journal.subscribeAll(sendEvent));
    return;
  }
  if (replayed?.kind === "gap") sink.write(formatSseEvent("gap", { oldest }));
  for (const entry of replayed?.events ?? []) send({ entry, isStored: true, previousId: undefined });
  sink.onClose(journal.subscribeAll(send));
}

interface SentSnapshot {
  readonly asOf: number;
  /** The fencing tokens of each key's holders, or their owners if they have none. */
  readonly holds: ReadonlyMap<Key, readonly string[]>;
}

function isInSnapshot({ asOf, holds }: SentSnapshot, entry: HistoryEntry): boolean {
  if (entry.type === "gap" || entry.at > asOf || END_EVENT_TYPES.has(entry.type)) return false;
  return holds.get(parseKeyFields(entry))?.includes(entry.fence ?? entry.owner ?? "") ?? false;
}

function sendSnapshot(
  { watcher, journal }: Target,
  sink: ResponseSink,
  allowedKeys: KeyPatternSet | undefined,
): SentSnapshot {
  const byKey = { field: "key", direction: 1 } as const;
  const { holds, total } = watcher.index.queryPage(
    "",
    byKey,
    { offset: 0 },
    Number.POSITIVE_INFINITY,
    allowedKeys,
  );
  sink.write(formatSseEvent("reset", { newest: journal.newest, total }));
  for (let at = 0; at < holds.length; at += SNAPSHOT_PAGE) {
    const items = holds
      .slice(at, at + SNAPSHOT_PAGE)
      .map((hold) => watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys)));
    sink.write(formatSseEvent("snapshot", { items, asOf: watcher.clock.lastUpdate }));
  }
  const names = holds.map(
    ({ key, seen }) => [key, seen.holders.map(({ fence, owner }) => fence ?? formatKey(owner))] as const,
  );
  return { asOf: watcher.clock.now(), holds: new Map(names) };
}
