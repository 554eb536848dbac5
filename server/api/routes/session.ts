import { LoginInput, Session } from "../../../lib/contract/accounts/session.ts";
import type { FoundSession } from "../../auth/session.ts";
import { UnauthenticatedError } from "../../errors/request-errors.ts";
import { plainAddress } from "../../network/client-address.ts";
import { type ApiRequest, json } from "../http/http-exchange.ts";
import { SESSION } from "../openapi/examples/targets.ts";
import { audited, auditedCallBy, auditedLogin } from "../routing/auditing.ts";
import { HOME_ERRORS, type Route, route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const SESSION_COOKIE = {
  description: "The session: HttpOnly, SameSite=Lax; empty, and over at once, after logging out.",
  example: "lockkeeper_3000=…; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200",
};

/** A browser's way in and out. */
export function sessionRoutes(services: Services): Route[] {
  const { sessions, authentication, audit } = services;
  return [
    loginRoute(services),
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
      errors: ["invalid", "forbidden", "unauthenticated", ...HOME_ERRORS],
      audit: "by_handler",
      handle: async (call) => {
        const { request } = call;
        const secret = authentication.secretOf(request);
        const gone = { status: 204, headers: { "set-cookie": authentication.cookieOf(request, "", 0) } };
        const session = secret === undefined ? undefined : await sessions.find(secret, "act");
        if (secret === undefined || session === undefined) return gone;
        return await audited(audit, auditedCallBy(session, call), { action: "logout" }, async () => {
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
        return json(200, shown(session));
      },
    }),
  ];
}

function loginRoute({ sessions, links, passwordLogin, authentication, audit }: Services): Route {
  return route({
    method: "POST",
    path: "/login",
    operationId: "logIn",
    tag: "Sessions",
    access: "anyone",
    summary: "Log a browser in: by the token of a one-time link, or by an operator's name and password",
    description:
      "A name that does not exist gets the same answer after the same time as a wrong password. Tries are counted by name and by address; pauses grow up to a quarter of an hour.",
    body: LoginInput,
    examples: {
      "A one-time link": { token: "Zm9yIGV4YW1wbGUgb25seSwgYW5kIG9ubHkgb25jZQ" },
      "A password": { name: "mei", password: "correct horse battery" },
    },
    response: {
      status: 200,
      schema: Session,
      example: SESSION,
      headers: { "Set-Cookie": SESSION_COOKIE },
      description: "Logged in; the session is in an HttpOnly cookie, and always a new one.",
    },
    errors: ["unauthenticated", "forbidden", "rate_limited", ...HOME_ERRORS],
    audit: "by_handler",
    handle: async (call) => {
      const { request, body } = call;
      // Said before the link is used up.
      authentication.cookieOf(request, "", 0);
      const before = authentication.secretOf(request);
      const from = fromOf(request);
      const { secret, session } = await auditedLogin(audit, call, {
        by: "token" in body ? "link" : "password",
        logIn: async () => {
          if ("token" in body) return await sessions.beginByLink(await links.take(body.token), from);
          const { name, operator } = await passwordLogin.logIn(body.name, body.password, from.address);
          return await sessions.beginByPassword(name, operator, from);
        },
        undo: (made) => sessions.logOut(made.secret),
      });
      if (before !== undefined) await sessions.logOut(before);
      const maxAgeSeconds = Math.floor((session.expiresAt - Date.now()) / 1000);
      const headers = { "set-cookie": authentication.cookieOf(request, secret, maxAgeSeconds) };
      return json(200, shown(session), { headers });
    },
  });
}

function shown({ name, roles, via, expiresAt }: FoundSession): Session {
  return { name, roles, via, expiresAt };
}

function fromOf(request: ApiRequest) {
  return {
    address: request.remoteAddress && plainAddress(request.remoteAddress),
    userAgent: request.header("user-agent"),
  };
}
