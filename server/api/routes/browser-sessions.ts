import { BrowserSessionList } from "../../../lib/contract/accounts/session.ts";
import { canAccess, type Principal } from "../../auth/principal.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { BROWSER_SESSION, BROWSER_SESSION_ID } from "../openapi/examples/accounts.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** The sessions of browsers: one's own, or as an admin everybody's. */
export function createBrowserSessionRoutes({ sessions, authentication }: Services): Route[] {
  return [
    defineRoute({
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
        const secret = authentication.readSessionSecret(request);
        return createJsonResponse(200, { items: await sessions.list(getVisibleOwner(principal), secret) });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/browser-sessions/{id}",
      operationId: "deleteBrowserSession",
      tag: "Sessions",
      idParam: BROWSER_SESSION_ID,
      access: "read",
      summary: "End a browser's session",
      description: "At every instance within two seconds, its streams as well.",
      response: { status: 204, description: "It has ended." },
      errors: ["not_found", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "end_session", details: { id } }),
      handle: async ({ id, principal }) => {
        await sessions.revoke(id, getVisibleOwner(principal));
        return { status: 204, headers: {} };
      },
    }),
  ];
}

/** undefined: everybody's. A key's name is no operator's, as it has a colon. */
function getVisibleOwner(principal: Principal): string | undefined {
  return canAccess(principal, "admin", {}) ? undefined : principal.name;
}
