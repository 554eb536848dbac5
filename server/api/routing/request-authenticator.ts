import { isIP } from "node:net";
import type { ApiKeyVerifier } from "../../auth/api-key-verifier.ts";
import { createRoleGrants } from "../../auth/grant.ts";
import { ANONYMOUS, buildOperatorId, type Principal } from "../../auth/principal.ts";
import type { RootKey } from "../../auth/root-key.ts";
import type { Sessions } from "../../auth/sessions.ts";
import { ForbiddenError, UnauthenticatedError } from "../../errors/request-errors.ts";
import { normalizeAddress } from "../../network/client-address.ts";
import type { ApiRequest } from "../http/http-exchange.ts";
import type { Route } from "./route.ts";
import { buildSessionCookieName, type CookieScope } from "./session-cookie.ts";

export interface RequestAuthenticatorOptions {
  readonly publicUrl: string | undefined;
  readonly insecureHttp: boolean;
  /** Base path of the console. Browsers send the session cookie only below this path. */
  readonly basePath: string;
}

const BEARER = /^Bearer +(\S+)$/i;

type RouteAccess = Pick<Route, "method" | "access">;

/** Authenticates requests: applications by their API key, and browsers by their session cookie. */
export class RequestAuthenticator {
  constructor(
    private readonly rootKey: RootKey,
    private readonly apiKeyVerifier: ApiKeyVerifier,
    private readonly sessions: Sessions,
    private readonly options: RequestAuthenticatorOptions,
  ) {}

  /**
   * Returns the principal of a request. The result is synchronous for a cached API key, for the root key, and for a
   * request without an API key to a route that requires no credentials.
   *
   * @throws LockkeeperError unauthenticated, forbidden, unavailable or unknown_outcome. If the result is a promise, it
   * rejects with these errors
   */
  authenticate(request: ApiRequest, route: RouteAccess): Principal | Promise<Principal> {
    const authorization = request.header("authorization");
    if (authorization !== undefined) return this.#authenticateKey(authorization, route.access);
    const acts = route.method !== "GET";
    if (acts) this.#assertSameOrigin(request);
    else assertNotEmbedded(request);
    return route.access === "anyone" ? ANONYMOUS : this.#authenticateSession(request, acts);
  }

  async #authenticateSession(request: ApiRequest, acts: boolean): Promise<Principal> {
    const secret = this.readSessionSecret(request);
    if (secret === undefined) {
      throw new UnauthenticatedError(
        "Send Authorization: Bearer with an API key, or log in to the console (`lockkeeper login`, or `npm run login` in a checkout, prints a link).",
      );
    }
    const session = await this.sessions.find(secret, acts ? "act" : "read");
    if (session === undefined) {
      throw new UnauthenticatedError(
        "This session has ended. Log in again, or run `lockkeeper login` (`npm run login` in a checkout) and open the link it prints.",
      );
    }
    return {
      kind: "session",
      id: buildOperatorId(session.name),
      name: session.name,
      grants: createRoleGrants(session.roles),
    };
  }

  /** Returns the secret in the session cookie, or `undefined` if the request has no session cookie. */
  readSessionSecret(request: ApiRequest): string | undefined {
    const name = buildSessionCookieName(this.#getCookieScope(request));
    for (const part of (request.header("cookie") ?? "").split(";")) {
      const at = part.indexOf("=");
      if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || undefined;
    }
    return undefined;
  }

  /**
   * Creates the value of the `Set-Cookie` header for a session.
   *
   * @throws LockkeeperError forbidden if the browser does not use TLS, unless it is on this machine or `insecureHttp`
   * is set
   */
  createSessionCookie(request: ApiRequest, secret: string, maxAgeSeconds: number): string {
    const scope = this.#getCookieScope(request);
    if (!scope.isTls && !this.options.insecureHttp && !this.#isOnThisMachine(request)) {
      throw new ForbiddenError(
        "Without TLS, the console can only be used on this machine. Set LOCKKEEPER_PUBLIC_URL to its https:// URL, add the proxy to LOCKKEEPER_TRUSTED_PROXIES, or set LOCKKEEPER_INSECURE_HTTP=1 to accept the risk.",
      );
    }
    const secure = scope.isTls ? "; Secure" : "";
    return `${buildSessionCookieName(scope)}=${secret}; Path=${scope.basePath || "/"}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
  }

  #getCookieScope(request: ApiRequest): CookieScope {
    const { publicUrl, basePath } = this.options;
    const isTls =
      // `http-server.ts` removes this header unless a trusted proxy has set it.
      publicUrl?.startsWith("https:") === true || request.header("x-forwarded-proto") === "https";
    return { publicUrl, host: request.header("host"), isTls, basePath };
  }

  /**
   * Returns whether the browser is on this machine. A connection from loopback is not sufficient, because it can come
   * from an untrusted reverse proxy. Therefore, the host in the `Host` header and in the public URL, if it is set, must
   * also be a loopback address. The `Host` header reveals a proxy that forwards this header from the browser.
   */
  #isOnThisMachine(request: ApiRequest): boolean {
    const { publicUrl } = this.options;
    const names = [`http://${request.header("host")}`, ...(publicUrl === undefined ? [] : [publicUrl])];
    return isLoopback(request.remoteAddress) && names.every(isLoopbackUrl);
  }

  #authenticateKey(authorization: string, access: RouteAccess["access"]): Principal | Promise<Principal> {
    const secret = BEARER.exec(authorization)?.[1];
    if (secret === undefined) {
      throw new UnauthenticatedError("The Authorization header must be: Bearer <API key>.");
    }
    const principal = this.apiKeyVerifier.authenticate(secret, access) ?? this.rootKey.authenticate(secret);
    if (principal === undefined) throw new UnauthenticatedError("The API key is unknown.");
    return principal;
  }

  // Asserts that the request comes from a page of the console. Browsers may send the session cookie with requests from
  // pages of other sites, which must not act as the operator.
  #assertSameOrigin(request: ApiRequest): void {
    const site = request.header("sec-fetch-site");
    const origin = request.header("origin");
    const isOurs =
      origin === undefined ? site === "same-origin" : this.#getOwnOrigins(request).includes(origin);
    if (isOurs && (site === undefined || site === "same-origin")) return;
    if (origin === undefined && site === undefined) {
      throw new UnauthenticatedError(
        "Send Authorization: Bearer with an API key. Browser sessions only work from the console's own pages.",
      );
    }
    throw new ForbiddenError(
      "Requests from other sites are not permitted. Behind a proxy, set LOCKKEEPER_PUBLIC_URL.",
    );
  }

  #getOwnOrigins(request: ApiRequest): string[] {
    const host = request.header("host");
    const { publicUrl } = this.options;
    return [
      // Pages over plain HTTP are not trusted if the console is served over TLS, because an attacker on the network can
      // serve them.
      ...(publicUrl?.startsWith("https:") ? [] : [`http://${host}`]),
      `https://${host}`,
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
    ];
  }
}

/**
 * Asserts that a page of another site does not read from the console or open streams. Links to the console are
 * permitted.
 */
function assertNotEmbedded(request: ApiRequest): void {
  const site = request.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return;
  if (request.header("sec-fetch-mode") === "navigate" && request.header("sec-fetch-dest") === "document")
    return;
  throw new ForbiddenError("Pages of other sites may not read from this server.");
}

function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const plain = normalizeAddress(address);
  return plain === "localhost" || plain === "::1" || (isIP(plain) === 4 && plain.startsWith("127."));
}

function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  return isLoopback(host) || host.endsWith(".localhost");
}
