import { LoginInput, Session } from "../../../lib/contract/session.ts";
import { UnauthenticatedError } from "../../locks/errors.ts";
import { audited, auditedCallOf, auditedLogin } from "../auditing.ts";
import { SESSION } from "../examples/targets.ts";
import { json } from "../http.ts";
import { type Route, route } from "../route.ts";
import type { Services } from "../services.ts";

const SESSION_COOKIE = {
  description: "The session: HttpOnly, SameSite=Lax; empty, and over at once, after logging out.",
  example: "lockkeeper_3000=…; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200",
};

/** A browser's way in and out. */
export function sessionRoutes({ sessions, authentication, audit }: Services): Route[] {
  return [
    route({
      method: "POST",
      path: "/login",
      operationId: "logIn",
      tag: "Sessions",
      access: "anyone",
      summary: "Log a browser in with the token of a one-time link",
      body: LoginInput,
      examples: { "The part after # of the link": { token: "Zk3vU0m1W8f2JtQ5h7yLr9xC" } },
      response: {
        status: 200,
        schema: Session,
        example: SESSION,
        headers: { "Set-Cookie": SESSION_COOKIE },
        description: "Logged in; the session is in an HttpOnly cookie.",
      },
      errors: ["unauthenticated", "forbidden", "unavailable", "unknown_outcome"],
      audit: "by_handler",
      handle: async (call) => {
        const { request, body } = call;
        // Said before the link is used up.
        authentication.cookieOf(request, "", 0);
        const { secret, session } = await auditedLogin(audit, call, {
          by: "link",
          logIn: () => sessions.logIn(body.token),
          undo: (made) => sessions.logOut(made.secret),
        });
        const maxAgeSeconds = Math.floor((session.expiresAt - Date.now()) / 1000);
        const headers = { "set-cookie": authentication.cookieOf(request, secret, maxAgeSeconds) };
        return json(200, session, { headers });
      },
    }),
    route({
      method: "POST",
      path: "/logout",
      operationId: "logOut",
      tag: "Sessions",
      access: "anyone",
      summary: "End the browser's session",
      response: {
        status: 204,
        description: "The session is gone.",
        headers: { "Set-Cookie": SESSION_COOKIE },
      },
      errors: ["invalid", "forbidden", "unauthenticated", "unavailable", "unknown_outcome"],
      audit: "by_handler",
      handle: async (call) => {
        const { request } = call;
        const secret = authentication.secretOf(request);
        const gone = { status: 204, headers: { "set-cookie": authentication.cookieOf(request, "", 0) } };
        const session = secret === undefined ? undefined : await sessions.find(secret, "act");
        if (secret === undefined || session === undefined) return gone;
        const called = auditedCallOf(call);
        const { name } = session;
        const who = { ...called.who, kind: "session", id: `operator:${name}`, name };
        return await audited(audit, { ...called, who }, { action: "logout" }, async () => {
          await sessions.logOut(secret);
          return gone;
        });
      },
    }),
    route({
      method: "GET",
      path: "/session",
      operationId: "getSession",
      tag: "Sessions",
      access: "read",
      summary: "Who this browser is logged in as",
      response: { status: 200, schema: Session, example: SESSION, description: "The session." },
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
