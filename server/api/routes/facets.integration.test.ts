import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Facets } from "../../../lib/contract/facet.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createBearerHeader, waitUntil } from "../../../test/support/test-server.ts";

const it = serverTest();

const formatQuery = (filter: string) => `?${new URLSearchParams({ filter })}`;

it("facets count each value with a filter for exactly those locks, within the caller's keys", async ({
  server,
  direct,
}) => {
  const name = randomUUID();
  const take = (key: string, record: object) =>
    server.callVerb(`lock:${name}:${key}`, "acquire", { owner: key, leaseMs: 600_000, record });
  await take("a:1", { service: 'pay "x" * y', host: "h1" });
  await take("a:2", { service: "mail" });
  await take("b:3", { service: "mail", session: 'worker "7"' });
  await direct.set(`lock:${name}:b:4`, randomUUID());
  const filter = `key:lock:${name}:*`;
  const facets = async (more = "", headers = {}) => {
    const { status, body } = await server.callUntilAvailable(`/facets${formatQuery(filter + more)}`, {
      headers,
    });
    expect(status).toBe(200);
    return Facets.parse(body);
  };
  await waitUntil(async () => (await facets()).total === 4);
  const all = await facets();
  for (const { field, values } of all.facets) {
    for (const { filter: word, locks } of values) {
      const { body } = await server.call(`/locks${formatQuery(`${filter} ${word}`)}`);
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
  expect(of(all, "session")).toMatchObject({
    without: 3,
    values: [{ value: 'worker "7"', filter: 'session:="worker \\"7\\""', locks: 1 }],
  });
  expect(of(all, "liveness")?.values).toContainEqual({
    ...{ value: "no_ttl", filter: "liveness:no_ttl", locks: 1 },
  });
  const mail = await facets(' service:="mail" is:needs_attention');
  expect([mail.total, of(mail, "service")?.without, of(mail, "format")?.values]).toEqual([0, 1, []]);

  const keys = [`lock:${name}:a:*`];
  const made = await server.call("/keys", { body: { name, verbs: ["read"], keys } });
  const seen = await facets("", createBearerHeader(made.body.secret));
  expect(seen.total).toBe(2);
  expect(of(seen, "liveness")?.values.map(({ value }) => value)).not.toContain("no_ttl");
});

it("a cached facet response carries its time", async ({ server, key }) => {
  const filter = formatQuery(`key:${key}`);
  const first = await server.call(`/facets${filter}`);
  const { body: grant } = await server.call(`/locks/${key}/acquire`, {
    body: { owner: "a", leaseMs: 60_000 },
  });
  await server.waitForLocks(`key:${key}`);
  const { body } = await server.call(`/facets${filter}`);
  expect(first.body.total).toBe(0);
  if (body.total === 0) expect(body.asOf).toBeLessThanOrEqual(grant.asOf);
});

it("facets with an invalid filter or an unknown target are rejected", async ({ server }) => {
  const refused = await server.call(`/facets${formatQuery("held>soon")}`);
  expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
  expect((await server.call("/facets?by=owner")).body.code).toBe("invalid");
  expect((await server.call("/facets?target=nowhere")).status).toBe(404);
});
