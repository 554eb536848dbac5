import { BrowserSessionList } from "../../../lib/contract/accounts/session.ts";
import { canAccess, type Principal } from "../../auth/principal.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { BROWSER_SESSION, BROWSER_SESSION_ID } from "../openapi/examples/accounts.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Creates the routes for browser sessions: the caller's own, or all of them for administrators. */
export function createBrowserSessionRoutes({ sessions, authentication }: Services): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/browser-sessions",
      operationId: "listBrowserSessions",
      tag: "Sessions",
      access: "read",
      summary: "List browser sessions",
      description:
        "Lists your browser sessions. Administrators of all targets see the sessions of all operators.",
      response: {
        status: 200,
        schema: BrowserSessionList,
        example: { items: [BROWSER_SESSION] },
        description: "Active sessions.",
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
      summary: "End a browser session",
      description:
        "Ends the session on every instance within 2 s and closes its streams. Administrators of all targets can end any session.",
      response: { status: 204, description: "The session has ended." },
      errors: ["not_found", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "end_session", details: { id } }),
      handle: async ({ id, principal }) => {
        await sessions.revoke(id, getVisibleOwner(principal));
        return { status: 204, headers: {} };
      },
    }),
  ];
}

/**
 * Returns the operator whose sessions the caller may access, or `undefined` for all sessions. The name of an API key
 * never equals the name of an operator, because names of API keys contain a colon and names of operators do not.
 */
function getVisibleOwner(principal: Principal): string | undefined {
  return canAccess(principal, "admin", {}) ? undefined : principal.name;
}
