import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, startTestServer, type TestServer } from "../../test/support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    environment: {
      LOCKKEEPER_BASE_PATH: "/tools/locks",
      LOCKKEEPER_TRUSTED_PROXIES: "127.0.0.0/8",
      LOCKKEEPER_RATE_LIMIT_UNKNOWN: "0.01/2",
    },
  });
});
afterAll(async () => await server.stop());

const authorization = { authorization: `Bearer ${ROOT_KEY}` };
const sendRequest = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers });

async function logIn(headers: Record<string, string>): Promise<Response> {
  return await fetch(`${server.url}/tools/locks/api/v1/login`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: `http://${new URL(server.url).host}`,
      "sec-fetch-site": "same-origin",
      ...headers,
    },
    body: JSON.stringify({ token: (await server.runtime.createLoginLink()) ?? "" }),
  });
}

describe("base path", () => {
  it("health, metrics and API are served below the base path, and nothing beside it", async () => {
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
        "Lockkeeper is below /tools/locks\n",
      ]);
    }
  });
});

describe("trusted proxy headers", () => {
  it("the protocol from a trusted proxy decides whether a session cookie is set, and it is Secure", async () => {
    const plain = await logIn({ "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" });
    expect(plain.status).toBe(403);
    const tls = await logIn({ "x-forwarded-for": "203.0.113.10", "x-forwarded-proto": "https" });
    expect(tls.status).toBe(200);
    expect(tls.headers.get("set-cookie")).toMatch(/; Path=\/tools\/locks; HttpOnly; .*; Secure$/);
  });

  it("requests through a trusted proxy are limited per client address", async () => {
    const from = async (address: string) =>
      (await sendRequest("/tools/locks/api/v1/locks", { "x-forwarded-for": address })).status;
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push(await from("198.51.100.1, 203.0.113.20"));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await from("198.51.100.2, 203.0.113.20")).toBe(429);
    expect(await from("203.0.113.20, 198.51.100.1")).toBe(401);
  });

  it("forwarded headers are ignored when no proxy is trusted", async () => {
    const other = await startTestServer({ environment: { LOCKKEEPER_RATE_LIMIT_UNKNOWN: "0.01/2" } });
    try {
      const statuses = [];
      for (const [n, path] of ["/api/v1/locks", "/metrics", "/metrics", "/api/v1/locks"].entries()) {
        const headers = { "x-forwarded-for": `203.0.113.${n}` };
        statuses.push((await fetch(other.url + path, { headers })).status);
      }
      expect(statuses).toEqual([401, 401, 429, 429]);
    } finally {
      await other.stop();
    }
  });
});
