import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { serverTest } from "../support/fixtures.ts";
import { type ApiReply, ROOT_KEY, startTestServer, type TestServer } from "../support/test-server.ts";
import { FuzzDocument } from "./fuzz/fuzz-document.ts";
import { KeyspaceMonitor } from "./fuzz/keyspace-monitor.ts";
import { formatRequestHead, sendRawHttp } from "./raw-http.ts";
import { readStoredText } from "./stored-text.ts";

const KEY = "lock:attacked";
const listActions = (holdId: string) =>
  [
    [`/locks/${encodeKeyPath(KEY)}/acquire`, { owner: "evil" }],
    [`/holds/${holdId}/renew`, {}],
    [`/holds/${holdId}/release`, {}],
    [`/locks/${encodeKeyPath(KEY)}/force-release`, { expectedVersion: "fence.1", reason: "evil" }],
    [`/locks/${encodeKeyPath(KEY)}/reserve`, { reservedMs: 60_000 }],
    ["/finder", { anew: true }],
    ["/logout", undefined],
  ] as const;

async function logIn(server: TestServer, given?: string, origin = server.url): Promise<ApiReply> {
  const token = await server.runtime.createLoginLink();
  const headers = { origin, ...(given && { cookie: given }) };
  return await server.callAnonymously("/login", { body: { token }, headers });
}

const readCookie = ({ headers }: ApiReply) => headers.get("set-cookie")?.split(";")[0] ?? "";

const it = serverTest()
  .extend("keyspace", { scope: "file" }, ({ server }) => new KeyspaceMonitor(server.redis))
  .extend("holdId", { scope: "file" }, async ({ server }) => {
    const { body } = await server.callVerb(KEY, "acquire", { owner: "me", leaseMs: 600_000 });
    return String(body.holdId);
  })
  .extend("send", { scope: "file" }, ({ server }) => server.callAnonymously)
  .extend("cookie", { scope: "file" }, async ({ server }) => readCookie(await logIn(server)))
  .extend("secure", { scope: "file" }, async ({}, { onCleanup }) => {
    const secure = await startTestServer({ environment: { LOCKKEEPER_PUBLIC_URL: "https://locks.example" } });
    onCleanup(() => secure.stop());
    return secure;
  });

// Creates the session and the held lock before any test takes its first snapshot for comparison.
it.beforeAll(async ({ cookie, holdId }) => {
  expect(cookie).not.toBe("");
  expect(holdId).toMatch(/^h1\./);
});

describe("requests from another site", () => {
  const json = { "content-type": "application/json" };
  const cases: Record<string, Record<string, string>> = {
    "by a form": {
      origin: "https://evil.example",
      "sec-fetch-site": "cross-site",
      "content-type": "application/x-www-form-urlencoded",
    },
    "by a form of plain text that reads as JSON": {
      origin: "https://evil.example",
      "content-type": "text/plain",
    },
    "by fetch without CORS": {
      origin: "https://evil.example",
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "no-cors",
      "content-type": "text/plain",
    },
    "from a subdomain": { ...json, origin: "http://evil.127.0.0.1", "sec-fetch-site": "same-site" },
    "from a sandbox with a null origin": { ...json, origin: "null", "sec-fetch-site": "cross-site" },
    "from the same host on another port": {
      ...json,
      origin: "http://127.0.0.1:1",
      "sec-fetch-site": "same-site",
    },
    "with the console's host as a prefix of its own": { ...json, origin: "http://127.0.0.1.evil.example" },
    "with no Origin but a cross-site Sec-Fetch-Site": {
      ...json,
      "sec-fetch-site": "cross-site",
    },
    "with two origins": { ...json, origin: "https://evil.example, http://127.0.0.1" },
    "with neither Origin nor Sec-Fetch-Site": json,
  };

  it.for(Object.keys(cases))(
    "another site cannot act with a session: %s",
    async (name, { keyspace, send, cookie, holdId }) => {
      const before = await keyspace.takeSnapshot();
      for (const [path, body] of listActions(holdId)) {
        const text = body === undefined ? {} : { body: JSON.stringify(body) };
        const { status } = await send(path, { method: "POST", headers: { ...cases[name], cookie }, ...text });
        expect([401, 403], `${path} ${status}`).toContain(status);
      }
      expect(keyspace.findChanges(before, await keyspace.takeSnapshot())).toEqual([]);
    },
  );

  it("another site cannot log a browser in as somebody else", async ({ server, send }) => {
    const token = await server.runtime.createLoginLink();
    const { status, headers } = await send("/login", {
      body: { token },
      headers: { ...json, origin: "https://evil.example" },
    });
    expect([status, headers.get("set-cookie")]).toEqual([403, null]);
  });

  it("another site can link to the console, but neither read it nor embed a stream", async ({
    server,
    send,
    cookie,
  }) => {
    const embedded = {
      cookie,
      "sec-fetch-site": "same-site",
      "sec-fetch-mode": "no-cors",
      "sec-fetch-dest": "image",
    };
    for (const path of ["/locks", "/live", "/events", "/session"])
      expect((await send(path, { headers: embedded })).status, path).toBe(403);
    const led = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    // fetch() would set its own Sec-Fetch-* headers.
    const ask = formatRequestHead(
      "GET /api/v1/locks HTTP/1.1",
      `Host: ${new URL(server.url).host}`,
      `Cookie: ${cookie}`,
      "Connection: close",
      ...led,
    );
    expect((await sendRawHttp(server.url, ask)).status).toBe(200);
  });

  it("no response carries a CORS header, not even to a preflight", async ({ send, cookie }) => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    const answers = [
      await send("/locks", { method: "OPTIONS", headers }),
      await send("/locks", { headers: { ...headers, cookie } }),
      await send("/openapi.json", { headers }),
    ];
    const names = answers.flatMap((answer) => [...answer.headers.keys()]);
    expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(answers[0]?.status).toBe(405);
  });

  it("another site cannot embed a response: it is JSON with nosniff", async ({ send, cookie }) => {
    for (const path of ["/locks", "/nowhere", "/openapi.json"]) {
      const { headers } = await send(path, { headers: { cookie } });
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
  });
});

describe("GET requests", () => {
  it("no GET of the OpenAPI document changes Redis, with a session or an API key", async ({
    server,
    direct,
    keyspace,
    send,
    cookie,
    holdId,
  }) => {
    const { operations } = new FuzzDocument((await server.call("/openapi.json")).body);
    const paths = operations
      .filter(({ method }) => method === "GET")
      .map(({ path }) =>
        path
          .slice("/api/v1".length)
          .replace("{key}", encodeKeyPath(KEY))
          .replace("{holdId}", holdId)
          .replace(/\{\w+\}/, "default"),
      );
    expect(paths.length).toBeGreaterThan(10);
    const before = await keyspace.takeSnapshot();
    for (const path of paths.filter((each) => !["/live", "/events"].includes(each))) {
      await server.call(path);
      await send(path, { headers: { cookie } });
      await send(`${path}?_method=DELETE`, { headers: { cookie, "x-http-method-override": "DELETE" } });
    }
    expect(keyspace.findChanges(before, await keyspace.takeSnapshot())).toEqual([]);
    expect(await direct.hvals(KEY)).toEqual(["1"]);
  });

  it("a response that requires a login is stored by no shared cache", async ({ send, cookie }) => {
    for (const path of ["/locks", "/session", "/targets", "/stats"]) {
      const { headers } = await send(path, { headers: { cookie } });
      // With `no-cache`, only the browser keeps the response, and revalidates it before each use.
      expect(headers.get("cache-control"), path).toMatch(/no-store|private.*no-cache|no-cache.*private/);
    }
  });
});

describe("session security", () => {
  it("a login replaces a session cookie that was planted before", async ({ server, send, cookie }) => {
    const planted = `${cookie.split("=")[0]}=${"A".repeat(43)}`;
    const answer = await logIn(server, planted);
    expect(answer.status).toBe(200);
    expect(readCookie(answer)).not.toBe(planted);
    expect((await send("/session", { headers: { cookie: planted } })).status).toBe(401);
  });

  it("a session cookie is out of reach of scripts and other sites, and bound to its host", async ({
    server,
    secure,
  }) => {
    const flags = (await logIn(server)).headers.get("set-cookie") ?? "";
    expect(flags).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const overTls = (await logIn(secure, undefined, "https://locks.example")).headers.get("set-cookie") ?? "";
    expect(overTls).toMatch(
      /^__Host-lockkeeper_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
    );
    const value = overTls.split(";")[0]?.replace("__Host-", "") ?? "";
    expect((await secure.callAnonymously("/session", { headers: { cookie: value } })).status).toBe(401);
  });

  it("login links and sessions have 256 bits, and Redis stores their hashes only", async ({
    server,
    direct,
    cookie,
  }) => {
    const session = cookie.split("=")[1] ?? "";
    const link = (await server.runtime.createLoginLink()) ?? "";
    const apiKey = (await server.call("/keys", { body: { name: "stored", verbs: ["read"] } })).body.secret;
    for (const secret of [session, link]) expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    const stored = await readStoredText(direct);
    for (const secret of [session, link, apiKey, ROOT_KEY]) {
      expect(secret.length).toBeGreaterThan(40);
      expect(stored).not.toContain(secret);
    }
    // The hash of the session is stored, which proves that `stored` would contain a session stored as plain text.
    expect(stored).toContain(createHash("sha256").update(session).digest("hex"));
  });
});
