import { isIP } from "node:net";
import type { KeyRing } from "../../auth/api-key-verifier.ts";
import { grantsOfRoles } from "../../auth/grant.ts";
import { idOfOperator, NOBODY, type Principal } from "../../auth/principal.ts";
import type { RootKey } from "../../auth/root-key.ts";
import type { Sessions } from "../../auth/sessions.ts";
import { ForbiddenError, UnauthenticatedError } from "../../errors/request-errors.ts";
import { plainAddress } from "../../network/client-address.ts";
import type { ApiRequest } from "../http/http-exchange.ts";
import type { Route } from "./route.ts";

export interface AuthenticationOptions {
  readonly publicUrl: string | undefined;
  readonly insecureHttp: boolean;
  /** What the console is below: its cookie is sent there alone. */
  readonly basePath: string;
  /** Part of the cookie's name: two consoles on one host share their cookies otherwise. */
  readonly port: () => number;
}

const BEARER = /^Bearer +(\S+)$/i;

type Asked = Pick<Route, "method" | "access">;

/** Tells who calls: an app by its key, a browser by its session. */
export class Authentication {
  constructor(
    private readonly rootKey: RootKey,
    private readonly keyRing: KeyRing,
    private readonly sessions: Sessions,
    private readonly options: AuthenticationOptions,
  ) {}

  /**
   * At once for an app: nothing has to be asked for its key.
   *
   * @throws LockkeeperError unauthenticated, forbidden, unavailable; or rejects with it
   */
  principalOf(request: ApiRequest, route: Asked): Principal | Promise<Principal> {
    const authorization = request.header("authorization");
    if (authorization !== undefined) return this.#byKey(authorization, route.access);
    const acts = route.method !== "GET";
    if (acts) this.#assertSameOrigin(request);
    else assertNotEmbedded(request);
    return route.access === "anyone" ? NOBODY : this.#bySession(request, acts);
  }

  async #bySession(request: ApiRequest, acts: boolean): Promise<Principal> {
    const secret = this.secretOf(request);
    if (secret === undefined) {
      throw new UnauthenticatedError(
        "Send Authorization: Bearer with an API key, or log in to the console (`npm run login` prints a link).",
      );
    }
    const session = await this.sessions.find(secret, acts ? "act" : "read");
    if (session === undefined) {
      throw new UnauthenticatedError(
        "This session has ended. Log in again, or run `npm run login` and open the link it prints.",
      );
    }
    return {
      kind: "session",
      id: idOfOperator(session.name),
      name: session.name,
      grants: grantsOfRoles(session.roles),
    };
  }

  /** The secret in the session cookie. */
  secretOf(request: ApiRequest): string | undefined {
    const name = this.#cookieName();
    for (const part of (request.header("cookie") ?? "").split(";")) {
      const at = part.indexOf("=");
      if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || undefined;
    }
    return undefined;
  }

  /** @throws LockkeeperError forbidden when a cookie would travel unprotected */
  cookieOf(request: ApiRequest, secret: string, maxAgeSeconds: number): string {
    const { publicUrl, basePath } = this.options;
    // The second is there only if a proxy of ours has told it (`front.ts`).
    const isTls = publicUrl?.startsWith("https:") || request.header("x-forwarded-proto") === "https";
    if (!isTls && !this.options.insecureHttp && !isLoopback(request.remoteAddress)) {
      throw new ForbiddenError(
        "Without TLS the console can be used on this machine only. Set LOCKKEEPER_PUBLIC_URL to its https:// address, name the proxy in LOCKKEEPER_TRUSTED_PROXIES, or LOCKKEEPER_INSECURE_HTTP=1 to accept the risk.",
      );
    }
    const secure = isTls ? "; Secure" : "";
    return `${this.#cookieName()}=${secret}; Path=${basePath || "/"}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
  }

  #byKey(authorization: string, access: Asked["access"]): Principal | Promise<Principal> {
    const secret = BEARER.exec(authorization)?.[1];
    if (secret === undefined) {
      throw new UnauthenticatedError("The Authorization header must read: Bearer, a space, an API key.");
    }
    const principal = this.keyRing.principalOf(secret, access) ?? this.rootKey.principalOf(secret);
    if (principal === undefined) throw new UnauthenticatedError("This API key is not known here.");
    return principal;
  }

  // A browser sends the cookie along with any page's request; only our own pages may act with it.
  #assertSameOrigin(request: ApiRequest): void {
    const site = request.header("sec-fetch-site");
    const origin = request.header("origin");
    const isOurs = origin === undefined ? site === "same-origin" : this.#ownOrigins(request).includes(origin);
    if (isOurs && (site === undefined || site === "same-origin")) return;
    if (origin === undefined && site === undefined) {
      throw new UnauthenticatedError(
        "Send Authorization: Bearer with an API key; a browser's session works from the console's own pages only.",
      );
    }
    throw new ForbiddenError(
      "A request from another site may not act here. Behind a proxy, set LOCKKEEPER_PUBLIC_URL.",
    );
  }

  #ownOrigins(request: ApiRequest): string[] {
    const host = request.header("host");
    const { publicUrl } = this.options;
    return [
      `http://${host}`,
      `https://${host}`,
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
    ];
  }

  /**
   * Under `__Host-` a browser takes no cookie that another host of the same domain has put there. It asks for TLS, and
   * for a cookie of the whole host.
   */
  #cookieName(): string {
    const { publicUrl, basePath, port } = this.options;
    const isOfHost = publicUrl?.startsWith("https:") && basePath === "";
    return `${isOfHost ? "__Host-" : ""}lockkeeper_${port()}`;
  }
}

/** Another site may lead a browser here, but not have it read, or keep streams open, in its own page. */
function assertNotEmbedded(request: ApiRequest): void {
  const site = request.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return;
  if (request.header("sec-fetch-mode") === "navigate" && request.header("sec-fetch-dest") === "document")
    return;
  throw new ForbiddenError("A page of another site may not read here.");
}

function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const plain = plainAddress(address);
  return plain === "localhost" || plain === "::1" || (isIP(plain) === 4 && plain.startsWith("127."));
}
