import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createHoldId } from "../../test/support/hold-ids.ts";
import { createBearerHeader, ROOT_KEY } from "../../test/support/test-server.ts";

const environment = { LOCKKEEPER_RATE_LIMIT: "1/30", LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: "0.01/5" };
const it = serverTest({ environment });
/** A separate server, because the tests above use up the limits of their server. */
const unused = serverTest({ environment });
const unlimited = serverTest();

describe("request limits", () => {
  it("requests without valid credentials turn from 401 to 429 per address, while valid keys pass", async ({
    server,
  }) => {
    const guess = () => server.call("/locks", { headers: createBearerHeader(randomUUID()) });
    const statuses = [];
    for (let n = 0; n < 8; n++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const login = await server.callAnonymously("/openapi.json");
    expect([login.status, login.headers.get("ratelimit")]).toEqual([
      429,
      expect.stringMatching(/^"address";r=0;t=\d+$/),
    ]);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(429);
    const { status, headers } = await server.call("/locks");
    expect([status, headers.get("ratelimit-policy")]).toEqual([200, '"caller";q=30;w=30']);
  });

  it("every response carries the remaining quota, and a request over the limit does nothing", async ({
    server,
    direct,
    key,
  }) => {
    const unknown = await server.callHold({ holdId: createHoldId() }, "renew");
    expect([unknown.status, unknown.headers.get("ratelimit")]).toEqual([
      410,
      expect.stringMatching(/^"caller";r=\d+;t=\d+$/),
    ]);
    let last = await server.call("/locks");
    for (let n = 0; n < 40 && last.status === 200; n++) last = await server.call("/locks");
    expect([last.status, last.body.code]).toEqual([429, "rate_limited"]);
    expect(last.headers.get("retry-after")).toBe("1");
    const refused = await server.callVerb(key, "acquire", { owner: "me" });
    expect(refused.status).toBe(429);
    const scrape = { headers: createBearerHeader(ROOT_KEY) };
    expect((await fetch(`${server.url}/metrics`, scrape)).status).toBe(429);
    expect(await direct.exists(key)).toBe(0);
  });
});

describe("limits of many holds", () => {
  unused("a batch counts as one request for each ten holds", async ({ server }) => {
    const { body: created } = await server.call("/keys", { body: { name: "worker", verbs: ["lock"] } });
    const headers = createBearerHeader(created.secret);
    const holds = Array.from({ length: 200 }, (_, at) => ({
      holdId: createHoldId({ key: `lock:${at}` }),
    }));
    const renewed = await server.call("/holds/renew", { body: { holds }, headers });
    expect([renewed.status, renewed.headers.get("ratelimit")]).toEqual([
      200,
      expect.stringMatching(/^"caller";r=10;/),
    ]);
    const refused = await server.call("/holds/release", { body: { holds }, headers });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
  });
});

describe("conditional requests", () => {
  unlimited("an unchanged resource returns 304, even while its lease runs down", async ({ server, key }) => {
    const hold = await server.acquire(key, { owner: "me" });
    for (const path of [`/locks/${key}`, "/formats", "/openapi.json", "/locks?filter=none"]) {
      const { headers, status } = await server.call(path);
      const etag = headers.get("etag") ?? "";
      expect([path, status, etag]).toEqual([path, 200, expect.stringMatching(/^W\/"/)]);
      const known = { "if-none-match": etag };
      expect((await server.call(path, { headers: known })).status).toBe(304);
      const raw = await server.fetch(path, { headers: known });
      expect([raw.status, await raw.text(), raw.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const before = (await server.call(`/locks/${key}`)).headers.get("etag") ?? "";
    await server.callHold(hold, "renew", { leaseMs: 60_000 });
    const after = await server.call(`/locks/${key}`, { headers: { "if-none-match": before } });
    expect([after.status, after.body.holders[0].owner]).toEqual([200, "me"]);
    const many = Array.from({ length: 33 }, (_, n) => `p${n}=1`).join("&");
    const refused = await server.call(`/locks?${many}`);
    expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
  });
});
