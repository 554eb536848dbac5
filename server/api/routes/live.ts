import { LiveQuery, LiveView } from "../../../lib/contract/live.ts";
import { acceptsGzip } from "../compression/compression.ts";
import { canCompressStreams, createGzipSink } from "../compression/gzip-sink.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { SSE_HEADERS } from "../http/sse.ts";
import { hasSameAccess } from "../live/hello.ts";
import { LIVE_STREAM_MESSAGES } from "../openapi/examples/streams.ts";
import { defineConnectorRoute, defineRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/**
 * Maximum size of a view in bytes. The maximum number of `keep` keys of maximum length needs 600 KiB, which leaves 424
 * KiB for the counted filters and namespaces.
 */
const VIEW_BYTES_MAX = 1024 * 1024;

/** Maximum time in ms that a client may take to read the response of a poll, before the stream is closed. */
const POLL_TIMEOUT_MS = 15_000;

function closeUnreadPoll(sink: ResponseSink): void {
  const timer = setTimeout(() => sink.close(), POLL_TIMEOUT_MS);
  sink.onClose(() => clearTimeout(timer));
}

const PLAIN_SSE_HEADERS = { ...SSE_HEADERS, vary: "accept-encoding" };
const GZIP_SSE_HEADERS = { ...PLAIN_SSE_HEADERS, "content-encoding": "gzip" };

/** Creates the routes for the stream of a console tab. */
export function createLiveRoutes({ live, streams }: Services): Route[] {
  return [
    // The route also serves targets that have never been reached, because the console shows their state.
    defineConnectorRoute({
      method: "GET",
      path: "/live",
      operationId: "streamLive",
      tag: "Console",
      access: "read",
      summary: "Stream the view of a console tab",
      description:
        "Streams what one tab of the console displays: `hello`; `window`, then `rows` with its changes; `counts` with every number that the tab displays; `kept` for rows of `keep` whose current state is not in the window; `lock`; `recent` and `events` if requested; `health` every second. A client that reads too slowly receives the latest state instead of every change; `skipped` counts the events that it missed.",
      query: LiveQuery,
      expensive: true,
      response: {
        status: 200,
        description: "The stream. It stays open until the client disconnects.",
        stream: "LiveStreamData",
        messages: LIVE_STREAM_MESSAGES,
      },
      errors: ["not_found", "too_many_streams", "unavailable"],
      handle: ({ request, connector, query: { mode, ...view }, principal, cpu, isStillAuthorized }) => {
        streams.assertCapacity(principal.id);
        // The stream ends when the access of its caller changes, so that the tab reconnects and gets a new `hello`.
        const isCurrent = () => isStillAuthorized((now) => hasSameAccess(principal, now, connector));
        const isCompressed = canCompressStreams && acceptsGzip(request.header("accept-encoding"));
        return {
          status: 200,
          headers: isCompressed ? GZIP_SSE_HEADERS : PLAIN_SSE_HEADERS,
          body: (bareSink) => {
            const sink = isCompressed ? createGzipSink(bareSink) : bareSink;
            streams.register(sink, principal.id, isCurrent);
            const isPoll = mode === "poll";
            if (isPoll) closeUnreadPoll(sink);
            live.open(sink, view, { principal, cpu, isPoll }, connector).catch(() => sink.close());
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
      summary: "Update the view of a console tab",
      description: "Replaces the view of an open stream. The stream stays open.",
      idParam: { description: "Id of the stream: `stream` in its `hello` message.", example: "k3Jd9xQ2" },
      body: LiveView,
      bodyBytesMax: VIEW_BYTES_MAX,
      examples: {
        "Change the filter": { filter: "key:lock:orders:*", limit: 50 },
        "Show one lock and its events": { limit: 0, lock: "lock%3Aorders%3A42" },
        "Keep a row on the screen": { sort: "-held", keep: ["lock%3Aorders%3A41"] },
      },
      response: { status: 204, description: "The stream has the new view." },
      errors: ["not_found", "unavailable"],
      handle: ({ id, body, principal }) => {
        live.changeView(id, body, principal);
        return { status: 204, headers: {} };
      },
    }),
  ];
}
