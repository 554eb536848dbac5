import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createSameOriginHeaders } from "../../test/support/test-browser.ts";
import { createBearerHeader, ROOT_KEY } from "../../test/support/test-server.ts";

const it = serverTest({
  environment: {
    LOCKKEEPER_BASE_PATH: "/tools/locks",
    LOCKKEEPER_TRUSTED_PROXIES: "127.0.0.0/8",
    LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: "0.01/2",
  },
})
  .extend("sendRequest", { scope: "file" }, ({ server }) => (path: string, headers: HeadersInit = {}) => {
    return fetch(server.url + path, { headers });
  })
  .extend("logIn", { scope: "file" }, ({ server }) => async (headers: Record<string, string>) => {
    return await fetch(`${server.url}/tools/locks/api/v1/login`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...createSameOriginHeaders(server.url),
        ...headers,
      },
      body: JSON.stringify({ token: (await server.runtime.createLoginLink()) ?? "" }),
    });
  });
const withoutProxy = serverTest({ environment: { LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: "0.01/2" } });
const withTls = serverTest({ environment: { LOCKKEEPER_PUBLIC_URL: "https://locks.example" } });

const authorization = createBearerHeader(ROOT_KEY);

describe("base path", () => {
  it("health, metrics and API are served below the base path, and nothing beside it", async ({
    sendRequest,
  }) => {
    expect((await sendRequest("/tools/locks/healthz")).status).toBe(200);
    expect((await sendRequest("/tools/locks/metrics", authorization)).status).toBe(200);
    expect((await sendRequest("/tools/locks/api/v1/locks/lock%3Aa%2Fb", authorization)).status).toBe(200);
    const document = await sendRequest("/tools/locks/api/v1/openapi.json");
    expect(await document.json()).toMatchObject({ servers: [{ url: "/tools/locks" }] });
    for (const path of ["/", "/healthz", "/metrics", "/api/v1/locks", "/tools/locksmith/healthz", "/tools"]) {
      const reply = await sendRequest(path, authorization);
      expect([path, reply.status, await reply.text()]).toEqual([
        path,
        404,
        "Lockkeeper is served below /tools/locks\n",
      ]);
    }
  });

  it("the type of a problem has the base path, whichever part of the server sends it", async ({
    sendRequest,
  }) => {
    const readType = async (path: string) => {
      const { type } = (await (await sendRequest(path, authorization)).json()) as { type: string };
      return type;
    };
    expect(await readType("/tools/locks/api/v1/nowhere")).toBe("/tools/locks/problems/not_found");
    expect(await readType(`/tools/locks/api/v1/${"x".repeat(9000)}`)).toBe(
      "/tools/locks/problems/uri_too_long",
    );
  });
});

describe("trusted proxy headers", () => {
  it("the protocol from a trusted proxy decides whether a session cookie is set, and it is Secure", async ({
    logIn,
  }) => {
    const plain = await logIn({ "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" });
    expect(plain.status).toBe(403);
    const tls = await logIn({ "x-forwarded-for": "203.0.113.10", "x-forwarded-proto": "https" });
    expect(tls.status).toBe(200);
    expect(tls.headers.get("set-cookie")).toMatch(/; Path=\/tools\/locks; HttpOnly; .*; Secure$/);
  });

  it("requests through a trusted proxy are limited per client address", async ({ sendRequest }) => {
    const from = async (address: string) =>
      (await sendRequest("/tools/locks/api/v1/locks", { "x-forwarded-for": address })).status;
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push(await from("198.51.100.1, 203.0.113.20"));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await from("198.51.100.2, 203.0.113.20")).toBe(429);
    expect(await from("203.0.113.20, 198.51.100.1")).toBe(401);
  });

  withoutProxy("forwarded headers are ignored when no proxy is trusted", async ({ server }) => {
    const statuses = [];
    for (const [n, path] of ["/api/v1/locks", "/metrics", "/metrics", "/api/v1/locks"].entries()) {
      const headers = { "x-forwarded-for": `203.0.113.${n}` };
      statuses.push((await fetch(server.url + path, { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 429, 429]);
  });
});

describe("origins behind TLS", () => {
  withTls(
    "with an https public URL, a page over plain HTTP cannot act with a session",
    async ({ server }) => {
      const { host } = new URL(server.url);
      const logInFrom = async (origin: string) => {
        const token = (await server.runtime.createLoginLink()) ?? "";
        return await server.callAnonymously("/login", { body: { token }, headers: { origin } });
      };
      const refused = await logInFrom(`http://${host}`);
      expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
      expect((await logInFrom(`https://${host}`)).status).toBe(200);
      expect((await logInFrom("https://locks.example")).status).toBe(200);
      expect((await logInFrom("http://locks.example")).status).toBe(403);
    },
  );
});
