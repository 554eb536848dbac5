import { BrowserSessionList } from "../../../lib/contract/accounts/session.ts";
import { may, type Principal } from "../../auth/principal.ts";
import { json } from "../http/http-exchange.ts";
import { BROWSER_SESSION, BROWSER_SESSION_ID } from "../openapi/examples/accounts.ts";
import { HOME_ERRORS, type Route, route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** The sessions of browsers: one's own, or as an admin everybody's. */
export function browserSessionRoutes({ sessions, authentication }: Services): Route[] {
  return [
    route({
      method: "GET",
      path: "/browser-sessions",
      operationId: "listBrowserSessions",
      tag: "Sessions",
      access: "read",
      summary: "Which browsers are logged in",
      description: "One's own; who is an admin at every target sees all.",
      response: {
        status: 200,
        schema: BrowserSessionList,
        example: { items: [BROWSER_SESSION] },
        description: "Those that have not ended.",
      },
      errors: HOME_ERRORS,
      handle: async ({ principal, request }) => {
        const secret = authentication.secretOf(request);
        return json(200, { items: await sessions.list(whoseOf(principal), secret) });
      },
    }),
    route({
      method: "DELETE",
      path: "/browser-sessions/{id}",
      operationId: "endBrowserSession",
      tag: "Sessions",
      idIs: BROWSER_SESSION_ID,
      access: "read",
      summary: "End a browser's session",
      description: "At every instance within two seconds, its streams as well.",
      response: { status: 204, description: "It has ended." },
      errors: ["not_found", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "session-end", details: { id } }),
      handle: async ({ id, principal }) => {
        await sessions.revoke(id, whoseOf(principal));
        return { status: 204, headers: {} };
      },
    }),
  ];
}

/** undefined: everybody's. A key's name is no operator's, as it has a colon. */
function whoseOf(principal: Principal): string | undefined {
  return may(principal, "admin", {}) ? undefined : principal.name;
}
