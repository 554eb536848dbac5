import { LiveQuery, LiveView } from "../../../lib/contract/live.ts";
import { SSE_HEADERS } from "../http/sse.ts";
import { LIVE_STREAM_MESSAGES } from "../openapi/examples/streams.ts";
import { defineConnectorRoute, defineRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Room for as many keys to keep as may be, each as long as may be. */
const VIEW_BYTES_MAX = 512 * 1024;

/** The console's one stream a tab. */
export function createLiveRoutes({ live, streams }: Services): Route[] {
  return [
    // Not of an open target alone: a page of one that cannot be reached is told so.
    defineConnectorRoute({
      method: "GET",
      path: "/live",
      operationId: "streamLive",
      tag: "Console",
      access: "read",
      summary: "The console's stream (SSE)",
      description:
        "Messages: `hello`; `window`, then `rows` with what has changed in it; `kept`, of keys of `keep` that the window does not show as they are; `lock`; `recent` and `events`, when they are asked for; `health` every second. A reader that falls behind is told the newest as soon as it has read the rest, not all that was between, and `skipped` says how many events that were.",
      query: LiveQuery,
      response: {
        status: 200,
        description: "The stream, until the client closes it.",
        stream: "LiveStreamData",
        messages: LIVE_STREAM_MESSAGES,
      },
      errors: ["not_found", "too_many_streams", "unavailable"],
      handle: ({ connector, query: { mode, ...view }, principal, isStillAuthorized }) => {
        streams.assertCapacity(principal.id);
        return {
          status: 200,
          headers: SSE_HEADERS,
          body: (sink) => {
            const shown = live.open(sink, view, principal, connector);
            if (mode === "poll") void shown.then(() => sink.end());
            else streams.register(sink, principal.id, isStillAuthorized);
          },
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/live/{id}",
      operationId: "updateLiveView",
      tag: "Console",
      access: "read",
      summary: "Change what a stream carries",
      idParam: { description: "The `stream` of its `hello`.", example: "k3Jd9xQ2" },
      body: LiveView,
      bodyBytesMax: VIEW_BYTES_MAX,
      examples: {
        "Another filter": { filter: "key:lock:orders:*", limit: 50 },
        "One lock and its events": { limit: 0, lock: "lock%3Aorders%3A42" },
        "A row that is read, wherever it stands by now": { sort: "-held", keep: ["lock%3Aorders%3A41"] },
      },
      response: { status: 204, description: "The stream carries the new view." },
      errors: ["not_found", "unavailable"],
      handle: ({ id, body, principal }) => {
        live.changeView(id, body, principal);
        return { status: 204, headers: {} };
      },
    }),
  ];
}
