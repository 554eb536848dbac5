import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createSameOriginHeaders, TestBrowser } from "../../../test/support/test-browser.ts";
import {
  createBearerHeader,
  startTestServer,
  type TestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";
import { countOpenStreams } from "../../../test/support/test-stream.ts";

const it = serverTest()
  .extend("send", { scope: "file" }, ({ server }) => server.callAnonymously)
  .extend("createOwnHeaders", { scope: "file" }, ({ server }) => (more: Record<string, string> = {}) => ({
    ...createSameOriginHeaders(server.url),
    ...more,
  }))
  .extend("logIn", { scope: "file" }, ({ server }) => async () => {
    const browser = new TestBrowser(server);
    await browser.logIn({ token: (await server.runtime.createLoginLink()) ?? "" });
    return browser.cookie ?? "";
  });

describe("one-time login link", () => {
  it("a login link works once, and a used or unknown one is refused with what to do", async ({
    server,
    send,
    createOwnHeaders,
  }) => {
    const token = await server.runtime.createLoginLink();
    const first = await send("/login", { headers: createOwnHeaders(), body: { token } });
    expect(first.status).toBe(200);
    expect(first.headers.get("set-cookie")).toMatch(
      /^lockkeeper_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
    );
    for (const used of [token, "never-made"]) {
      const { status, body } = await send("/login", { headers: createOwnHeaders(), body: { token: used } });
      expect([status, body.code]).toEqual([401, "unauthenticated"]);
      expect(body.detail).toContain("npm run login");
    }
  });

  it("a login link used by many at once admits one of them", async ({ server, send, createOwnHeaders }) => {
    const token = await server.runtime.createLoginLink();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => send("/login", { headers: createOwnHeaders(), body: { token } })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("a login link is stored as a hash, for at most ten minutes", async ({ server, direct }) => {
    const token = await server.runtime.createLoginLink();
    const keys = await direct.keys("{lockkeeper}:login:*");
    expect(keys.join()).not.toContain(token);
    for (const key of keys) expect(await direct.pttl(key)).toBeLessThanOrEqual(600_000);
  });
});

describe("browser session", () => {
  it("a session reads and acts only from pages of the console", async ({ send, createOwnHeaders, logIn }) => {
    const cookie = await logIn();
    expect((await send("/locks", { headers: { cookie } })).status).toBe(200);
    expect((await send("/session", { headers: { cookie } })).body.roles).toEqual({ "*": "admin" });
    const act = (headers: Record<string, string>) =>
      send("/locks/lock:session/acquire", { headers: { cookie, ...headers }, body: { owner: "me" } });
    expect((await act(createOwnHeaders())).status).toBe(201);
    expect((await act({ origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await act({ origin: "https://evil.example" })).status).toBe(403);
    expect((await act({ ...createOwnHeaders(), "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await act({ origin: "null" })).status).toBe(403);
    expect((await act({})).status).toBe(401);
  });

  it("a logout ends the session everywhere", async ({ send, createOwnHeaders, logIn }) => {
    const cookie = await logIn();
    expect(
      (await send("/logout", { headers: createOwnHeaders({ cookie }), body: { everywhere: true } })).status,
    ).toBe(400);
    const { status } = await send("/logout", { method: "POST", headers: createOwnHeaders({ cookie }) });
    expect(status).toBe(204);
    expect((await send("/session", { headers: { cookie } })).status).toBe(401);
  });

  it("a session is stored as a hash and ends when it is deleted from the store", async ({
    direct,
    send,
    createOwnHeaders,
    logIn,
  }) => {
    const cookie = await logIn();
    const keys = await direct.keys("{lockkeeper}:session:*");
    expect(keys.join()).not.toContain(cookie.split("=")[1]);
    await direct.del(...keys);
    expect(
      (
        await send("/locks/lock:session/acquire", {
          headers: createOwnHeaders({ cookie }),
          body: { owner: "me" },
        })
      ).status,
    ).toBe(401);
    expect((await send("/session", { headers: { cookie } })).status).toBe(401);
  });

  it("a session stays readable while the store is down and survives an empty store", async ({
    server,
    send,
    createOwnHeaders,
    logIn,
  }) => {
    const cookie = await logIn();
    await server.redis.kill();
    await waitUntil(async () => (await send("/session", { headers: { cookie } })).status === 200);
    expect(
      (
        await send("/locks/lock:session/acquire", {
          headers: createOwnHeaders({ cookie }),
          body: { owner: "me" },
        })
      ).status,
    ).toBe(503);
    await server.redis.restart();
    await waitUntil(() => server.runtime.readiness.ready);
    expect(
      (
        await send("/locks/lock:session/acquire", {
          headers: createOwnHeaders({ cookie }),
          body: { owner: "me" },
        })
      ).status,
    ).toBe(201);
    expect((await send("/session", { headers: { cookie } })).status).toBe(200);
  });
});

describe("two instances behind a proxy", () => {
  async function testBothInstances(
    origin: string,
    environment: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<string> {
    const one = await startTestServer({ environment });
    const other = await startTestServer({ environment: { ...environment, REDIS_URL: one.redis.url } });
    try {
      const token = (await one.runtime.createLoginLink()) ?? "";
      const login = await sendAs(one.url, "/login", { ...headers, origin }, { token });
      const cookie = login.cookie ?? "";
      const readStatus = async ({ url }: TestServer) =>
        (await sendAs(url, "/session", { ...headers, cookie })).status;
      for (const server of [one, other, one, other]) expect(await readStatus(server)).toBe(200);
      expect((await sendAs(other.url, "/logout", { ...headers, origin, cookie }, "")).status).toBe(204);
      await waitUntil(async () => (await readStatus(one)) === 401);
      return cookie.slice(0, cookie.indexOf("="));
    } finally {
      await other.stop();
      await one.stop();
    }
  }

  it("with a public URL, a session is valid at instances on different ports", async () => {
    const environment = { LOCKKEEPER_PUBLIC_URL: "https://locks.example" };
    const name = await testBothInstances("https://locks.example", environment, {});
    expect(name).toBe("__Host-lockkeeper_443");
  });

  it("without a public URL, a session is valid at instances that receive the same Host", async () => {
    const headers = { host: "locks.example:8443", "x-forwarded-proto": "https" };
    const environment = { LOCKKEEPER_TRUSTED_PROXIES: "127.0.0.0/8" };
    const name = await testBothInstances("https://locks.example:8443", environment, headers);
    expect(name).toBe("__Host-lockkeeper_8443");
  });
});

describe("two Lockkeepers on one host", () => {
  it("two consoles without a public URL keep separate session cookies", async ({ server, logIn }) => {
    const other = await startTestServer();
    const browser = new TestBrowser(other);
    await browser.logIn({ token: (await other.runtime.createLoginLink()) ?? "" });
    const cookie = `${await logIn()}; ${browser.cookie}`;
    for (const each of [server, other])
      expect((await each.callAnonymously("/session", { headers: { cookie } })).status).toBe(200);
    await other.stop();
  });
});

/** Returns the root key that the server printed at startup; `undefined` if it printed none. */
function readRootKey({ terminalLines }: TestServer): string | undefined {
  return /API key, shown only now: (\S+)/.exec(terminalLines.join("\n"))?.[1];
}

describe("root key", () => {
  it("the root key is created on first start, stored as a hash, shown once and valid later", async () => {
    const first = await startTestServer({ environment: { LOCKKEEPER_ROOT_KEY: "" } });
    const made = readRootKey(first);
    expect(made).toMatch(/^lk_[\w-]{43}$/);
    expect(await first.redis.createClient().get("{lockkeeper}:root-key")).toMatch(/^[0-9a-f]{64}$/);
    const { status } = await first.call("/locks", { headers: createBearerHeader(made ?? "") });
    expect(status).toBe(200);
    const again = await startTestServer({
      environment: { LOCKKEEPER_ROOT_KEY: "", REDIS_URL: first.redis.url },
    });
    expect(readRootKey(again)).toBeUndefined();
    expect((await again.call("/locks", { headers: createBearerHeader(made ?? "") })).status).toBe(200);
    await again.stop();
    await first.stop();
  });

  it("the root key still works after the store lost its data", async () => {
    const running = await startTestServer({ environment: { LOCKKEEPER_ROOT_KEY: "" } });
    const headers = createBearerHeader(readRootKey(running) ?? "");
    await running.redis.createClient().flushall();
    expect((await running.call("/locks", { headers })).status).toBe(200);
    await running.stop();
  });
});

describe("streams of a session", () => {
  it("a stream ends with the session that opened it", async ({ server, send, createOwnHeaders, logIn }) => {
    const cookie = await logIn();
    const streamed = send("/live", { headers: { cookie } });
    await waitUntil(async () => (await countOpenStreams(server)) === 1);
    await send("/logout", { method: "POST", headers: createOwnHeaders({ cookie }) });
    expect((await streamed).body).toContain("event: hello");
  });
});

/** Sends a request with the given headers, including `Host`, which `fetch` would replace. */
async function sendAs(
  url: string,
  path: string,
  headers: Record<string, string>,
  body?: object | "",
): Promise<{ readonly status: number | undefined; readonly cookie: string | undefined }> {
  const options = {
    method: body === undefined ? "GET" : "POST",
    headers: { ...(body ? { "content-type": "application/json" } : {}), ...headers },
  };
  const sent = request(`${url}/api/v1${path}`, options);
  sent.end(body ? JSON.stringify(body) : undefined);
  const [response]: IncomingMessage[] = await once(sent, "response");
  response?.resume();
  return {
    status: response?.statusCode,
    cookie: response?.headers["set-cookie"]?.[0]?.split(";")[0],
  };
}
