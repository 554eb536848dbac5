import { LoginInput, Session } from "../../../lib/contract/session.ts";
import { UnauthenticatedError } from "../../locks/errors.ts";
import { json } from "../http.ts";
import { type Route, route } from "../route.ts";
import type { Services } from "../services.ts";

/** A browser's way in and out. */
export function sessionRoutes({ sessions, authentication }: Services): Route[] {
  return [
    route({
      method: "POST",
      path: "/login",
      access: "anyone",
      summary: "Log a browser in with the token of a one-time link",
      body: LoginInput,
      response: {
        status: 200,
        schema: Session,
        description: "Logged in; the session is in an HttpOnly cookie.",
      },
      errors: ["unauthenticated", "forbidden", "unavailable", "unknown_outcome"],
      handle: async ({ request, body }) => {
        // Said before the link is used up.
        authentication.cookieOf(request, "", 0);
        const { secret, session } = await sessions.logIn(body.token);
        const maxAgeSeconds = Math.floor((session.expiresAt - Date.now()) / 1000);
        const headers = { "set-cookie": authentication.cookieOf(request, secret, maxAgeSeconds) };
        return json(200, session, { headers });
      },
    }),
    route({
      method: "POST",
      path: "/logout",
      access: "anyone",
      summary: "End the browser's session",
      response: { status: 204, description: "The session is gone." },
      errors: ["invalid", "forbidden", "unauthenticated", "unavailable", "unknown_outcome"],
      handle: async ({ request }) => {
        const secret = authentication.secretOf(request);
        if (secret !== undefined) await sessions.logOut(secret);
        return { status: 204, headers: { "set-cookie": authentication.cookieOf(request, "", 0) } };
      },
    }),
    route({
      method: "GET",
      path: "/session",
      access: "read",
      summary: "Who this browser is logged in as",
      response: { status: 200, schema: Session, description: "The session." },
      errors: ["unavailable"],
      handle: async ({ request }) => {
        const secret = authentication.secretOf(request);
        const session = secret === undefined ? undefined : await sessions.find(secret, "read");
        if (session === undefined) throw new UnauthenticatedError("This is not a browser's session.");
        return json(200, session);
      },
    }),
  ];
}
