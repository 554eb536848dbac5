import { BrowserSessionList } from "../../../lib/contract/accounts/session.ts";
import { canAccess, type Principal } from "../../auth/principal.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { BROWSER_SESSION, BROWSER_SESSION_ID } from "../openapi/examples/accounts.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/**
 * Creates the routes for browser sessions. Operators can access their own sessions. Administrators of all targets can
 * access all sessions.
 */
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
      isOwnChange: true,
      audit: ({ id }) => ({ action: "end_session", details: { id } }),
      handle: async ({ id, principal }) => {
        await sessions.revoke(id, getVisibleOwner(principal));
        return { status: 204, headers: {} };
      },
    }),
  ];
}

/**
 * Returns the name of the operator whose sessions the caller may access, or `undefined` if the caller may access all
 * sessions. API keys cannot be confused with operators, because their names contain a colon.
 */
function getVisibleOwner(principal: Principal): string | undefined {
  return canAccess(principal, "admin", {}) ? undefined : principal.name;
}
