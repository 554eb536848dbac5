import { LoginInput, Session } from "../../../lib/contract/accounts/session.ts";
import type { ActiveSession } from "../../auth/session.ts";
import { UnauthenticatedError } from "../../errors/request-errors.ts";
import { normalizeAddress } from "../../network/client-address.ts";
import { type ApiRequest, createJsonResponse } from "../http/http-exchange.ts";
import { SESSION } from "../openapi/examples/targets.ts";
import { runAudited, runAuditedLogin, toAuditedCallBy } from "../routing/auditing.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const SESSION_COOKIE = {
  description: "The session cookie: HttpOnly, SameSite=Lax. Empty and expired after a logout.",
  example: "lockkeeper_3000=…; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200",
};

/** Creates the routes for login, logout and the current browser session. */
export function createSessionRoutes(services: Services): Route[] {
  const { sessions, authentication, audit } = services;
  return [
    createLoginRoute(services),
    defineRoute({
      method: "POST",
      path: "/logout",
      operationId: "deleteSession",
      tag: "Sessions",
      access: "anyone",
      summary: "Log out of the console",
      description: "Ends the browser session and clears its cookie. Also succeeds if there is no session.",
      response: {
        status: 204,
        description: "The session has ended.",
        headers: { "Set-Cookie": SESSION_COOKIE },
      },
      errors: ["invalid", "forbidden", "unauthenticated", ...HOME_ERRORS],
      audit: "by_handler",
      handle: async (call) => {
        const { request } = call;
        const secret = authentication.readSessionSecret(request);
        const gone = {
          status: 204,
          headers: { "set-cookie": authentication.createSessionCookie(request, "", 0) },
        };
        const session = secret === undefined ? undefined : await sessions.find(secret, "act");
        if (secret === undefined || session === undefined) return gone;
        return await runAudited(audit, toAuditedCallBy(session, call), { action: "logout" }, async () => {
          await sessions.logOut(secret);
          return gone;
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/session",
      operationId: "getSession",
      tag: "Sessions",
      access: "read",
      summary: "Get the current session",
      description: "Returns the browser session of the request. API keys have no session and are refused.",
      response: { status: 200, schema: Session, example: SESSION, description: "The current session." },
      errors: ["unavailable"],
      handle: async ({ request }) => {
        const secret = authentication.readSessionSecret(request);
        const session = secret === undefined ? undefined : await sessions.find(secret, "read");
        if (session === undefined) throw new UnauthenticatedError("This request has no browser session.");
        return createJsonResponse(200, toSession(session));
      },
    }),
  ];
}

function createLoginRoute(services: Services): Route {
  const { sessions, loginLinks, passwordLogin, authentication, limits, audit } = services;
  return defineRoute({
    method: "POST",
    path: "/login",
    operationId: "createSession",
    tag: "Sessions",
    access: "anyone",
    summary: "Log in to the console",
    description:
      "Starts a browser session with the token of a one-time link, or with the name and password of an operator. Unknown names and wrong passwords get the same response after the same time. Failed attempts are throttled by name and by address, with delays of up to 15 minutes. Logins with a correct password are limited to one every 2 s per operator, with bursts of 50.",
    body: LoginInput,
    examples: {
      "One-time link": { token: "Zm9yIGV4YW1wbGUgb25seSwgYW5kIG9ubHkgb25jZQ" },
      "Name and password": { name: "mei", password: "correct horse battery" },
    },
    response: {
      status: 200,
      schema: Session,
      example: SESSION,
      headers: { "Set-Cookie": SESSION_COOKIE },
      description: "The new session. Its cookie is HttpOnly.",
    },
    errors: ["unauthenticated", "forbidden", "rate_limited", ...HOME_ERRORS],
    audit: "by_handler",
    handle: async (call) => {
      const { request, body } = call;
      // Throws if the cookie cannot be created, before the one-time link is consumed.
      authentication.createSessionCookie(request, "", 0);
      const before = authentication.readSessionSecret(request);
      const from = readSessionOrigin(request);
      const { secret, session } = await runAuditedLogin(audit, call, {
        ...("token" in body
          ? { by: "link", name: undefined }
          : { by: "password", name: body.name.normalize("NFC") }),
        logIn: async () => {
          if ("token" in body)
            return await sessions.startFromLink(await loginLinks.consume(body.token), from);
          const { name, operator } = await passwordLogin.logIn(body.name, body.password, from.address);
          limits.consumeForLogin(name);
          return await sessions.startFromPassword(name, operator, from);
        },
        undo: (created) => sessions.logOut(created.secret),
      });
      if (before !== undefined) await sessions.logOut(before);
      const maxAgeSeconds = Math.floor((session.expiresAt - Date.now()) / 1000);
      const headers = { "set-cookie": authentication.createSessionCookie(request, secret, maxAgeSeconds) };
      return createJsonResponse(200, toSession(session), { headers });
    },
  });
}

function toSession({ name, roles, via, expiresAt }: ActiveSession): Session {
  return { name, roles, via, expiresAt };
}

function readSessionOrigin(request: ApiRequest) {
  return {
    address: request.remoteAddress && normalizeAddress(request.remoteAddress),
    userAgent: request.header("user-agent"),
  };
}
