import { LiveHello, LiveView } from "../../../lib/contract/live.ts";
import { type Route, route, targetRoute } from "../route.ts";
import type { Services } from "../services.ts";
import { SSE_HEADERS } from "../sse.ts";

/** The console's one stream a tab. */
export function liveRoutes({ live, streams, authentication }: Services): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/live",
      access: "read",
      summary: "The console's stream (SSE)",
      description: "Messages: hello, recent, window, lock, event, health (every second).",
      query: LiveView,
      response: { status: 200, schema: LiveHello, description: "text/event-stream.", stream: true },
      errors: ["invalid", "unauthenticated", "forbidden", "unavailable"],
      handle: ({ target, request, query, principal }) => ({
        status: 200,
        headers: SSE_HEADERS,
        body: (sink) => {
          live.open(sink, query, principal, target);
          streams.guard(sink, () => authentication.mayStillRead(request));
        },
      }),
    }),
    route({
      method: "POST",
      path: "/live/{id}",
      access: "read",
      summary: "Change what a stream carries",
      body: LiveView,
      response: { status: 204, description: "The stream carries the new view." },
      errors: [
        "invalid",
        "unauthenticated",
        "forbidden",
        "not_found",
        "too_large",
        "unsupported_media_type",
        "unavailable",
      ],
      handle: ({ id, body, principal }) => {
        live.look(id, body, principal);
        return { status: 204, headers: {} };
      },
    }),
  ];
}
