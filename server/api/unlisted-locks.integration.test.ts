import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { BulkLine } from "../../lib/contract/actions/bulk-release.ts";
import { Facets } from "../../lib/contract/facet.ts";
import { LockList } from "../../lib/contract/list.ts";
import { Lock } from "../../lib/contract/lock.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createBearerHeader, ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { TestStream } from "../../test/support/test-stream.ts";

/** A value that does not suggest a lock, so that only the name of the key does. */
const VALUE = "worker-7";

const it = serverTest({ environment: { LOCKKEEPER_WATCH: "*", LOCKKEEPER_LOCKABLE: "lock:*" } })
  .extend("run", { scope: "file" }, () => randomUUID())
  .extend("listed", { scope: "file" }, ({ run }) => `lock:${run}`)
  .extend("unlisted", { scope: "file" }, ({ run }) => [`mutex:${run}:a`, `mutex:${run}:b`] as const)
  .extend("list", { scope: "file" }, ({ server }) => async (filter: string, headers = {}) => {
    const { body } = await server.callUntilAvailable(`/locks?${new URLSearchParams({ filter })}`, {
      headers,
    });
    const { items, total, unlisted } = LockList.parse(body);
    expect(items).toHaveLength(total);
    return { keys: items.map(({ key }) => key), total, unlisted };
  });

it.beforeAll(async ({ direct, listed, unlisted, list }) => {
  for (const key of [listed, ...unlisted]) await direct.set(key, VALUE);
  await waitUntil(async () => (await list("confidence:*")).total === 3, 15_000);
});

it("the list leaves out possible locks that the API cannot acquire, counts them, and finds them by filter", async ({
  list,
  listed,
  unlisted,
}) => {
  const [a, b] = unlisted;
  expect(await list("")).toEqual({ keys: [listed], total: 1, unlisted: 2 });
  expect(await list("owner:worker-7")).toMatchObject({ keys: [listed] });
  expect(await list("is:unlisted")).toEqual({ keys: [a, b], total: 2, unlisted: 2 });
  expect(await list("confidence:possible")).toMatchObject({ keys: [listed, a, b] });
  expect(await list(`key:="${a}"`)).toMatchObject({ keys: [a] });
});

it("a lock by its key says whether it is listed", async ({ server, listed, unlisted }) => {
  const read = async (key: string) => Lock.parse((await server.call(`/locks/${key}`)).body);
  expect(await read(unlisted[0])).toMatchObject({ state: "held", confidence: "possible", unlisted: true });
  expect(await read(listed)).not.toHaveProperty("unlisted");
});

it("a key of the API counts only the unlisted locks that it may read", async ({
  server,
  list,
  unlisted,
  run,
}) => {
  const body = { name: run, verbs: ["read"], keys: [unlisted[0]] };
  const { body: created } = await server.call("/keys", { body });
  expect(await list("", createBearerHeader(created.secret))).toEqual({ keys: [], total: 0, unlisted: 1 });
});

it("facets, owners, namespaces, statistics and exports leave them out as the list does", async ({
  server,
  listed,
  unlisted,
}) => {
  const query = (path: string, filter: string) => server.call(`${path}?${new URLSearchParams({ filter })}`);
  const facets = async (filter: string) => Facets.parse((await query("/facets", filter)).body).total;
  expect([await facets(""), await facets("confidence:*")]).toEqual([1, 3]);
  const holds = async (filter: string) => (await query("/owners", filter)).body.items[0].holds;
  expect([await holds(""), await holds("is:unlisted")]).toEqual([1, 2]);
  const namespaces = async (filter: string) =>
    (await query("/namespaces", filter)).body.items.map((item: { name: string }) => item.name);
  expect([await namespaces(""), await namespaces("is:unlisted")]).toEqual([["lock:"], ["mutex:"]]);
  expect((await server.call("/stats")).body.totals).toMatchObject({ held: 1, needsAttention: 1 });
  const lines = async (filter: string) => (await query("/export/locks", filter)).body.trimEnd().split("\n");
  const keysOf = (each: string[]) => each.map((line) => Lock.parse(JSON.parse(line)).key);
  expect([keysOf(await lines("")), keysOf(await lines("is:unlisted"))]).toEqual([[listed], [...unlisted]]);
  const { body: csv } = await server.call("/export/locks?format=csv&filter=is:unlisted");
  expect(csv.trimEnd().split(/\r?\n/)).toHaveLength(3);
});

it("metrics count them apart", async ({ server }) => {
  const response = await fetch(`${server.url}/metrics`, { headers: createBearerHeader(ROOT_KEY) });
  const text = await response.text();
  expect(text).toContain('lockkeeper_locks_unlisted{target="default"} 2\n');
  expect(text).toContain('lockkeeper_locks_held{target="default",format="token",liveness="no_ttl"} 1\n');
});

it("the live stream and the event stream leave them out", async ({ server, listed }) => {
  const live = await TestStream.open(server, "/live?mode=poll");
  await live.ended;
  const find = (event: string) => live.messages.find((message) => message.event === event)?.data;
  expect(find("health")).toMatchObject({ locks: 1, unlisted: 2, needsAttention: 1 });
  expect(find("window")).toMatchObject({ total: 1, held: 1, items: [{ key: listed }] });
  const events = await TestStream.open(server, "/events", { "last-event-id": "unknown" });
  await waitUntil(() => events.messages.some(({ event, data }) => event === "snapshot" && data.complete));
  events.leave();
  const snapshot = events.messages.filter(({ event }) => event === "snapshot");
  expect(snapshot.flatMap(({ data }) => data.items.map(({ key }: Lock) => key))).toEqual([listed]);
});

it("a bulk release never includes them, whether a filter or an item names them", async ({
  server,
  direct,
  unlisted,
}) => {
  const [key] = unlisted;
  const send = async (body: object) => {
    const { body: text } = await server.call("/locks/force-release", { body });
    return (text as string)
      .trimEnd()
      .split("\n")
      .map((line) => BulkLine.parse(JSON.parse(line)));
  };
  for (const filter of ["is:unlisted", "confidence:*", `key:${key}`]) {
    const [head] = await send({ filter, dryRun: true });
    expect([filter, head]).toEqual([
      filter,
      expect.objectContaining({ total: filter === "confidence:*" ? 1 : 0 }),
    ]);
  }
  const { version } = await server.readLock(key);
  const items = [{ key, expectedVersion: version, format: "token" }];
  for (const dryRun of [true, false]) {
    const [, item] = await send({ items, dryRun, reason: "stuck" });
    expect(item).toMatchObject({ outcome: "format_required", problem: { code: "format_required" } });
  }
  expect(await direct.get(key)).toBe(VALUE);
});

it("one is force-released by its version once its format is named, which is an event", async ({
  server,
  direct,
  run,
}) => {
  const key = `mutex:${run}:c`;
  await direct.set(key, VALUE, "PX", 600_000);
  const { version: expectedVersion } = await server.readLock(key);
  const release = (more: object) =>
    server.callVerb(key, "force-release", { expectedVersion, reason: "stuck", ...more });
  expect((await release({})).body.code).toBe("format_required");
  expect((await release({ format: "token" })).body).toMatchObject({ outcome: "released", owner: VALUE });
  expect(await direct.exists(key)).toBe(0);
  const readTypes = async () =>
    (await server.call(`/locks/${key}/history`)).body.items.map(({ type }: { type: string }) => type);
  await waitUntil(async () => (await readTypes()).length > 0);
  expect(await readTypes()).toEqual(["force_released"]);
});
