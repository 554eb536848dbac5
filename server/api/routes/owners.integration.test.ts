import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { NamespaceList } from "../../../lib/contract/namespace.ts";
import { OwnerList } from "../../../lib/contract/owner.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createRedissonOwner } from "../../../test/support/test-locks.ts";
import { createBearerHeader, waitUntil } from "../../../test/support/test-server.ts";

const it = serverTest()
  .extend("listOwners", { scope: "file" }, ({ server }) => async (query: Record<string, string>) => {
    const { status, body } = await server.callUntilAvailable(`/owners?${new URLSearchParams(query)}`);
    return status === 200 ? OwnerList.parse(body) : body;
  })
  .extend(
    "acquireLock",
    { scope: "file" },
    ({ server }) =>
      async (key: string, owner: string, record?: object) =>
        await server.acquire(key, { owner, leaseMs: 600_000, record }),
  );

it("owners are listed with their locks, age and waiters, and a filter for just those locks", async ({
  server,
  direct,
  listOwners,
  acquireLock,
}) => {
  const name = randomUUID();
  const key = (n: number) => `lock:${name}:${n}`;
  const filter = `key:lock:${name}:*`;
  const [one, two] = [`w "1" * ${name}`, `w "1" \\ ${name}`];
  const holdOf = async (n: number) =>
    await acquireLock(key(n), one, { service: "pay", host: `h${n}`, session: "batch" });
  const [, second] = [await holdOf(1), await holdOf(2), await holdOf(3)];
  await acquireLock(key(4), two, { service: "pay" });
  await direct.hset(key(5), createRedissonOwner(), 1);
  const waiting = server.callVerb(key(2), "acquire", { owner: "w3", waitMs: 20_000 });
  await waitUntil(async () => {
    const { items, total } = await listOwners({ filter });
    return total === 3 && items[0].waiters.count === 1;
  });
  const { items } = await listOwners({ filter });
  expect(items[0]).toMatchObject({ name: one, holds: 3, needsAttention: 0, oldest: { key: key(1) } });
  const locks = await server.call(`/locks?${new URLSearchParams({ filter: items[0].filter })}`);
  expect(locks.body.items.map((lock: { key: string }) => lock.key)).toEqual([1, 2, 3].map(key));
  const needsAttention = await listOwners({ filter, sort: "-needs_attention", limit: "1" });
  expect(needsAttention.items).toMatchObject([
    { liveness: { no_ttl: 1 }, needsAttention: 1, oldest: { key: key(5) } },
  ]);
  const rest = await listOwners({
    filter,
    sort: "-needs_attention",
    limit: "5",
    cursor: needsAttention.next,
  });
  expect([rest.items.length, rest.total, rest.next]).toEqual([2, 3, undefined]);
  // The remaining groups need no attention. They are sorted by the number of locks, most first.
  expect(rest.items.map(({ holds }: { holds: number }) => holds)).toEqual([3, 1]);
  expect((await listOwners({ filter, sort: "holds", cursor: needsAttention.next })).code).toBe("invalid");
  const services = await listOwners({ filter, by: "service" });
  expect(services).toMatchObject({
    total: 1,
    without: 1,
    items: [{ name: "pay", holds: 4, filter: 'service:="pay"' }],
  });
  const hosts = await listOwners({ filter, by: "host", sort: "name" });
  expect(hosts.items.map((each: { name: string }) => each.name)).toEqual(["h1", "h2", "h3"]);
  const sessions = await listOwners({ filter, by: "session" });
  expect(sessions).toMatchObject({
    without: 2,
    items: [{ name: "batch", holds: 3, filter: 'session:="batch"' }],
  });
  await server.callHold(second, "release");
  expect((await waiting).status).toBe(201);
  await waitUntil(async () => (await listOwners({ filter })).total === 4);
});

it("an owner list accepts filters on counts and rejects those that depend on time", async ({
  server,
  key,
  listOwners,
  acquireLock,
}) => {
  const { holdId } = await acquireLock(`${key}:1`, key);
  await server.callVerb(`${key}:1`, "acquire", { reenter: holdId }, { "idempotency-key": "again" });
  await acquireLock(`${key}:2`, key);
  await waitUntil(async () => (await listOwners({ filter: `owner:${key}` })).items[0]?.holds === 2);
  expect((await listOwners({ filter: `owner:${key} count>1` })).items).toMatchObject([{ holds: 1 }]);
  const refused = await server.call("/owners?filter=held%3E1s%20is:needs_attention");
  expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
  expect(JSON.stringify(refused.body)).toContain("must not use held, remaining or is:needs_attention");
});

it("namespaces are listed with their lock counts, within the caller's keys", async ({
  server,
  acquireLock,
}) => {
  const name = randomUUID();
  for (const key of ["a:1", "a:2", "b:1", "c"]) await acquireLock(`lock:${name}:${key}`, "w1");
  const query = `/namespaces?prefix=lock:${name}:`;
  const list = async (more = "", headers = {}) => (await server.call(`${query}${more}`, { headers })).body;
  await waitUntil(async () => (await list()).without === 1);
  expect(NamespaceList.parse(await list())).toMatchObject({
    ...{ total: 2, without: 1 },
    items: [
      { name: `lock:${name}:a:`, holds: 2, needsAttention: 0, oldest: { key: `lock:${name}:a:1` } },
      { name: `lock:${name}:b:`, holds: 1 },
    ],
  });
  const first = await list("&limit=1&sort=name");
  expect((await list(`&limit=1&sort=name&cursor=${first.next}`)).items).toMatchObject([
    { name: `lock:${name}:b:` },
  ]);
  expect((await list("&depth=2")).items).toEqual([]);
  for (const wrong of ["&depth=0", "&depth=9", "&filter=is:needs_attention", "&by=owner"])
    expect([wrong, (await list(wrong)).code]).toEqual([wrong, "invalid"]);
  const keys = [`lock:${name}:b:*`];
  const made = await server.call("/keys", { body: { name, verbs: ["read"], keys } });
  const seen = await list("", createBearerHeader(made.body.secret));
  expect(seen).toMatchObject({ total: 1, without: 0, items: [{ name: `lock:${name}:b:`, holds: 1 }] });
});
