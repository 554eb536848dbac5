import { z } from "zod";
import { EventFilter } from "../../../lib/contract/event.ts";
import { createEventMatcher } from "../../../lib/query/event-matcher.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { EventStream } from "../event-stream/event-stream.ts";
import { SSE_HEADERS } from "../http/sse.ts";
import { EVENT_MESSAGES } from "../openapi/examples/streams.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { restrictEvents } from "./history.ts";

const LAST_EVENT_ID = z.object({
  "Last-Event-ID": z.string().max(64).optional().meta({
    description: "Id of the last event that you received. The stream resumes after it.",
    example: "1795216496123-0",
  }),
});

/** Creates the route that streams events to applications and scripts. */
export function createEventRoutes({ streams, limits }: Services): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/events",
      operationId: "streamEvents",
      tag: "Events",
      access: "read",
      summary: "Stream events",
      description:
        "Streams lock events as server-sent events, each named by its type. With `Last-Event-ID` the stream resumes after that event: `gap` reports that events in between have been deleted; if the id is unknown, `reset` and `snapshot` messages carry all held locks, followed by the events since. A stream that is interrupted before the last `snapshot` starts with `reset` again. `key`, `owner` and `type` filter events, but not `reset` and `snapshot`.",
      query: EventFilter,
      filtersByGrant: true,
      headers: LAST_EVENT_ID,
      response: {
        status: 200,
        description:
          "The stream. It stays open until the client disconnects or reads no data for 30 s (5 s if it is more than 1 MiB behind). A client that falls more than 1 MiB behind continues with a replay from the last event sent. The first message is `hello`. Event ids are the same on all instances. Renewals and waits have no id, and are not sent during a snapshot or a replay, unless an operator caused them. Events that cannot be recorded yet have no id; a message with only the id follows when they are recorded.",
        stream: "LockEventStreamData",
        messages: EVENT_MESSAGES,
      },
      errors: ["too_many_streams"],
      handle: ({ target, request, query, principal, isStillAuthorized }) => {
        streams.assertCapacity(principal.id);
        const allowedKeys = getAllowedKeys(principal, "read", target.name);
        const lastId = request.header("last-event-id") || undefined;
        const cpu = limits.readCpu.getBudget(principal.id);
        if (lastId !== undefined) cpu.assertAvailable();
        return {
          status: 200,
          headers: SSE_HEADERS,
          body: (sink) => {
            streams.register(sink, principal.id, isStillAuthorized);
            const isWanted = restrictEvents(createEventMatcher(query), allowedKeys);
            const stream = new EventStream(target, sink, { isWanted, allowedKeys, cpu });
            // After an error, the client reconnects and resumes after the last id that it received.
            stream.run(lastId).catch(() => sink.close());
          },
        };
      },
    }),
  ];
}
