import type { Roles } from "../../lib/contract/access.ts";
import { LoginLinks } from "../../server/auth/login-link.ts";
import { openHomeStore, waitForHomeStore } from "../../server/home/open-home-store.ts";
import type { ApiReply, TestServer } from "./test-server.ts";

/** Creates the headers that a browser sends from a page of the console at `url`. */
export const createSameOriginHeaders = (url: string) => ({ origin: url, "sec-fetch-site": "same-origin" });

/** Creates a one-time login link for an operator with the given roles. */
export async function createLoginToken(
  server: Pick<TestServer, "redis">,
  name: string,
  roles: Roles,
): Promise<string> {
  const home = openHomeStore(server.redis.url);
  await waitForHomeStore(home, "the test's");
  const token = await new LoginLinks(home).create({ name, roles });
  home.close();
  return token;
}

/** A simulated browser that can log in to a server. Stores the session cookie and sends the headers of a browser. */
export class TestBrowser {
  #cookie: string | undefined;

  constructor(
    private readonly server: TestServer,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get cookie(): string | undefined {
    return this.#cookie;
  }

  /** Replaces the cookie, as an attacker with a stolen cookie would. */
  setCookie(cookie: string | undefined): void {
    this.#cookie = cookie;
  }

  async logIn(credentials: { token: string } | { name: string; password: string }): Promise<ApiReply> {
    return await this.send("/login", { body: credentials });
  }

  async send(path: string, { method, body }: { method?: string; body?: unknown } = {}): Promise<ApiReply> {
    const response = await fetch(`${this.server.url}/api/v1${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...createSameOriginHeaders(this.server.url),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.#cookie === undefined ? {} : { cookie: this.#cookie }),
        ...this.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const given = response.headers.get("set-cookie")?.split(";")[0];
    if (given !== undefined) this.#cookie = given;
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? "" : JSON.parse(text) };
  }
}
