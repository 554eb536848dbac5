import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Facets } from "../../lib/contract/facet.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

let server: TestServer;
let direct: Redis;

beforeAll(async () => {
  server = await startTestServer();
  direct = server.redis.createClient();
});
afterAll(async () => await server.stop());

const sendRequest = async (path: string, headers = {}) => await server.call(path, { headers });
const formatQuery = (filter: string) => `?${new URLSearchParams({ filter })}`;

it("facets count each value with a filter for exactly those locks, within the caller's keys", async () => {
  const name = randomUUID();
  const take = (key: string, record: object) =>
    server.call(`/locks/lock:${name}:${key}/acquire`, { body: { owner: key, leaseMs: 600_000, record } });
  await take("a:1", { service: 'pay "x" * y', host: "h1" });
  await take("a:2", { service: "mail" });
  await take("b:3", { service: "mail" });
  await direct.set(`lock:${name}:b:4`, randomUUID());
  const filter = `key:lock:${name}:*`;
  const facets = async (more = "", headers = {}) => {
    const { status, body } = await sendRequest(`/facets${formatQuery(filter + more)}`, headers);
    expect(status).toBe(200);
    return Facets.parse(body);
  };
  await waitUntil(async () => (await facets()).total === 4);
  const all = await facets();
  for (const { field, values } of all.facets) {
    for (const { filter: word, locks } of values) {
      const { body } = await sendRequest(`/locks${formatQuery(`${filter} ${word}`)}`);
      expect([field, word, body.total]).toEqual([field, word, locks]);
    }
  }
  const of = (list: Facets, field: string) => list.facets.find((each) => each.field === field);
  expect(of(all, "service")).toMatchObject({
    ...{ others: 0, without: 1 },
    values: [
      { value: "mail", locks: 2 },
      { value: 'pay "x" * y', locks: 1 },
    ],
  });
  expect(of(all, "verdict")?.values).toContainEqual({
    ...{ value: "no-expiry", filter: "verdict:no-expiry", locks: 1 },
  });
  const mail = await facets(' service:="mail" is:abnormal');
  expect([mail.total, of(mail, "service")?.without, of(mail, "format")?.values]).toEqual([0, 1, []]);

  const keys = [`lock:${name}:a:*`];
  const made = await server.call("/keys", { body: { name, verbs: ["read"], keys } });
  const seen = await facets("", { authorization: `Bearer ${made.body.secret}` });
  expect(seen.total).toBe(2);
  expect(of(seen, "verdict")?.values.map(({ value }) => value)).not.toContain("no-expiry");
});

it("a cached facet response carries its time", async () => {
  const key = `lock:${randomUUID()}`;
  const filter = formatQuery(`key:${key}`);
  const first = await sendRequest(`/facets${filter}`);
  const { body: grant } = await server.call(`/locks/${key}/acquire`, {
    body: { owner: "a", leaseMs: 60_000 },
  });
  await waitUntil(async () => (await sendRequest(`/locks${filter}`)).body.total === 1);
  const { body } = await sendRequest(`/facets${filter}`);
  expect(first.body.total).toBe(0);
  if (body.total === 0) expect(body.asOf).toBeLessThanOrEqual(grant.asOf);
});

it("facets with an invalid filter or an unknown target are rejected", async () => {
  const refused = await sendRequest(`/facets${formatQuery("held>soon")}`);
  expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
  expect((await sendRequest("/facets?by=owner")).body.code).toBe("invalid");
  expect((await sendRequest("/facets?target=nowhere")).status).toBe(404);
});
