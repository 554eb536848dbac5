import { z } from "zod";
import { ENDINGS, EventFilter, type HistoryEntry } from "../../../lib/contract/event.ts";
import { type Key, keyOfFields, textOfKey } from "../../../lib/keys/key.ts";
import { eventMatcher } from "../../../lib/query/event-matcher.ts";
import { keysFor } from "../../auth/principal.ts";
import type { Told } from "../../history/journal.ts";
import type { KeyRange } from "../../redis/glob.ts";
import type { Target } from "../../targets/target.ts";
import type { Sink } from "../http/http-exchange.ts";
import { isTooFarBehind, SSE_HEADERS, sse, sseId } from "../http/sse.ts";
import { EVENT_MESSAGES } from "../openapi/examples/streams.ts";
import { type Route, targetRoute } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { eventsWithin } from "./history.ts";

const SNAPSHOT_PAGE = 500;
/** How long an event may take from Redis to its readers; longer while nobody records, and then it is told as news. */
const ON_ITS_WAY_MS = 10_000;

const LAST_EVENT_ID = z.object({
  "Last-Event-ID": z.string().max(64).optional().meta({
    description: "The id of the last event that was read: the stream goes on after it.",
    example: "1795216496123-0",
  }),
});

/** The stream of events, for apps and scripts. */
export function eventRoutes({ streams }: Services): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/events",
      operationId: "streamEvents",
      tag: "Streams",
      access: "read",
      summary: "Stream of events (SSE)",
      description:
        "Begins with `hello`, which tells what can be replayed. With `Last-Event-ID` the events after it follow; when some of them are not kept any more, `gap` and what is left; when the id is not known here, `reset` and `snapshot` messages with every held lock. Then each event as it happens, by its type's name. `gap` with an id and `from` and `to` is an entry of the history: nobody watched in that time. Ids are the same at every instance. Renewals (but for more time that an operator gave) and waits carry no id and are not replayed, nor do events while the home store is away; those are recorded later, and a message with nothing but their id follows then. With `key`, `owner` and `type` only such events come; `reset` and `snapshot` are of all locks.",
      query: EventFilter,
      narrows: true,
      headers: LAST_EVENT_ID,
      response: {
        status: 200,
        description: "The stream, until the client closes it.",
        stream: true,
        messages: EVENT_MESSAGES,
      },
      errors: ["too_many_streams"],
      handle: ({ target, request, query, principal, mayStill }) => {
        streams.assertRoom(principal.id);
        const within = keysFor(principal, "read", target.name);
        return {
          status: 200,
          headers: SSE_HEADERS,
          body: (sink) => {
            streams.guard(sink, principal.id, mayStill);
            void stream(target, sink, { filter: query, within, lastId: request.header("last-event-id") });
          },
        };
      },
    }),
  ];
}

interface Asked {
  readonly filter: EventFilter;
  readonly within: KeyRange | undefined;
  readonly lastId: string | undefined;
}

async function stream(target: Target, sink: Sink, { filter, within, lastId }: Asked): Promise<void> {
  const { journal, watcher } = target;
  const isWanted = eventsWithin(eventMatcher(filter), within);
  const send = ({ entry, isKept, was }: Told) => {
    if (isTooFarBehind(sink)) sink.close();
    else if (!isWanted(entry)) return;
    else if (was !== undefined) sink.write(sseId(entry.id));
    else sink.write(sse(entry.type, entry, isKept ? entry.id : undefined));
  };
  const { oldest, newest } = journal;
  sink.write(sse("hello", { oldest, newest, now: watcher.clock.now() }));
  const replayed = lastId ? journal.after(lastId) : undefined;
  if (replayed?.kind === "reset") {
    // An event may be told before its lock is in the picture; it would be in neither of the two.
    const meanwhile: Told[] = [];
    const stop = journal.follow((told) => meanwhile.push(told));
    await watcher.settled();
    stop();
    let shown: Shown | undefined = snapshot(target, sink, within);
    // And one that is in the picture already may be told only when it has been recorded.
    const sendNews = (told: Told) => {
      // What is this much younger was not on its way any more.
      if (shown !== undefined && told.entry.at > shown.asOf + ON_ITS_WAY_MS) shown = undefined;
      if (shown === undefined || !isShown(shown, told.entry)) send(told);
    };
    for (const told of meanwhile) sendNews(told);
    sink.onClose(journal.follow(sendNews));
    return;
  }
  if (replayed?.kind === "gap") sink.write(sse("gap", { oldest }));
  for (const entry of replayed?.events ?? []) send({ entry, isKept: true, was: undefined });
  sink.onClose(journal.follow(send));
}

interface Shown {
  readonly asOf: number;
  /** The fences, or else the owners, of each key's holders. */
  readonly holds: ReadonlyMap<Key, readonly string[]>;
}

function isShown({ asOf, holds }: Shown, entry: HistoryEntry): boolean {
  if (entry.type === "gap" || entry.at > asOf || ENDINGS.has(entry.type)) return false;
  return holds.get(keyOfFields(entry))?.includes(entry.fence ?? entry.owner ?? "") ?? false;
}

function snapshot({ watcher, journal }: Target, sink: Sink, within: KeyRange | undefined): Shown {
  const byKey = { field: "key", direction: 1 } as const;
  const { holds, total } = watcher.mirror.page("", byKey, { offset: 0 }, Number.POSITIVE_INFINITY, within);
  sink.write(sse("reset", { newest: journal.newest, total }));
  for (let at = 0; at < holds.length; at += SNAPSHOT_PAGE) {
    const items = holds
      .slice(at, at + SNAPSHOT_PAGE)
      .map((hold) => watcher.lockOf(hold, watcher.sharedWith(hold, within)));
    sink.write(sse("snapshot", { items, asOf: watcher.clock.lastHeard }));
  }
  const names = holds.map(
    ({ key, seen }) => [key, seen.holders.map(({ fence, owner }) => fence ?? textOfKey(owner))] as const,
  );
  return { asOf: watcher.clock.now(), holds: new Map(names) };
}
