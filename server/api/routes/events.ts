import type { LockEvent } from "../../../lib/contract/event.ts";
import { ENDINGS, EventsHello } from "../../../lib/contract/event.ts";
import { keyOfFields } from "../../../lib/contract/key.ts";
import type { Target } from "../../targets/target.ts";
import type { Sink } from "../http.ts";
import { type Route, targetRoute } from "../route.ts";
import type { Services } from "../services.ts";
import { isTooFarBehind, SSE_HEADERS, sse } from "../sse.ts";

const SNAPSHOT_PAGE = 500;

/** The stream of events, for apps and scripts. */
export function eventRoutes({ streams, authentication }: Services): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/events",
      access: "read",
      summary: "Stream of events (SSE)",
      description:
        "Begins with `hello`, which tells what can be replayed. With `Last-Event-ID` the events after it follow; when some of them have left the buffer, `gap` and what is left; when the id is not known here, `reset` and `snapshot` messages with every held lock. Then each event as it happens, by its type's name. Renewals carry no id and are not replayed.",
      response: { status: 200, schema: EventsHello, description: "text/event-stream.", stream: true },
      errors: ["invalid", "unauthenticated", "forbidden", "too_many_streams", "unavailable"],
      handle: ({ target, request }) => {
        streams.assertRoom();
        return {
          status: 200,
          headers: SSE_HEADERS,
          body: (sink) => {
            streams.guard(sink, () => authentication.mayStillRead(request));
            void stream(target, sink, request.header("last-event-id"));
          },
        };
      },
    }),
  ];
}

async function stream(target: Target, sink: Sink, lastId: string | undefined): Promise<void> {
  const { journal, watcher } = target;
  const send = (event: LockEvent) => {
    if (isTooFarBehind(sink)) sink.close();
    else sink.write(sse(event.type, event, journal.isKept(event) ? event.id : undefined));
  };
  const { oldest, newest } = journal;
  sink.write(sse("hello", { oldest, newest, now: watcher.clock.now() }));
  const replayed = lastId ? journal.after(lastId) : undefined;
  if (replayed?.kind === "reset") {
    // An event may be told before its lock is in the picture; it would be in neither of the two.
    const meanwhile: LockEvent[] = [];
    const stop = journal.subscribe((event) => meanwhile.push(event));
    await watcher.settled();
    stop();
    snapshot(target, sink);
    for (const event of meanwhile) if (!isInPicture(target, event)) send(event);
  } else {
    if (replayed?.kind === "gap") sink.write(sse("gap", { oldest }));
    for (const event of replayed?.events ?? []) send(event);
  }
  sink.onClose(journal.subscribe(send));
}

function isInPicture({ watcher }: Target, event: LockEvent): boolean {
  const holders = watcher.mirror.get(keyOfFields(event))?.seen.holders ?? [];
  return !ENDINGS.has(event.type) && holders.some(({ fence }) => fence === (event.fence ?? null));
}

function snapshot({ watcher, journal }: Target, sink: Sink): void {
  const byKey = { field: "key", direction: 1 } as const;
  const { holds, total } = watcher.mirror.page("", byKey, { offset: 0 }, Number.POSITIVE_INFINITY);
  sink.write(sse("reset", { newest: journal.newest, total }));
  for (let at = 0; at < holds.length; at += SNAPSHOT_PAGE) {
    const items = holds.slice(at, at + SNAPSHOT_PAGE).map((hold) => watcher.lockOf(hold));
    sink.write(sse("snapshot", { items, asOf: watcher.clock.lastHeard }));
  }
}
