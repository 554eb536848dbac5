import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createHoldId } from "../../test/support/hold-ids.ts";
import { createBearerHeader, waitUntil } from "../../test/support/test-server.ts";
import { readStreamUntil } from "../../test/support/test-stream.ts";

const it = serverTest({ environment: { LOCKKEEPER_NOTIFICATIONS: "set" } })
  .extend("headers", { scope: "file" }, async ({ server }) => {
    const { body } = await server.call("/keys", {
      body: {
        ...{ name: "orders-alone", verbs: ["read", "lock", "force"] },
        ...{ targets: ["*"], keys: ["lock:orders:*"] },
      },
    });
    return createBearerHeader(body.secret);
  })
  // Reads the event stream with the limited API key. The unknown last event id makes the stream start with a snapshot.
  .extend(
    "readEventsUntil",
    { scope: "file" },
    ({ server, headers }) =>
      (passes: Parameters<typeof readStreamUntil>[2]) =>
        readStreamUntil(server, "/events", passes, { ...headers, "last-event-id": "99999999999999-0" }),
  );

it.beforeAll(async ({ server }) => {
  for (const key of ["lock:orders:1", "lock:orders:2", "lock:salaries:3"])
    await server.callVerb(key, "acquire", { owner: "app" });
  await server.waitForLocks("", 3);
});

const getKeys = (items: readonly { key: string }[]) => items.map(({ key }) => key);

it("a limited API key lists, counts and pages only its own keys", async ({ server, headers }) => {
  const first = (await server.call("/locks?limit=1&sort=key", { headers })).body;
  expect([getKeys(first.items), first.total]).toEqual([["lock:orders:1"], 2]);
  const second = (await server.call(`/locks?limit=1&sort=key&cursor=${first.next}`, { headers })).body;
  expect([getKeys(second.items), second.next]).toEqual([["lock:orders:2"], undefined]);
  // A caller who may read all keys gets a different response to the same request.
  expect((await server.call("/locks?limit=1&sort=key")).body.total).toBe(3);
  expect((await server.call("/locks?filter=salaries", { headers })).body.total).toBe(0);
});

it("a limited API key gets history, events and snapshots of its own keys only", async ({
  server,
  headers,
  readEventsUntil,
}) => {
  await waitUntil(async () => (await server.call("/history")).body.items.length >= 3);
  const { items } = (await server.call("/history", { headers })).body;
  expect(getKeys(items).sort()).toEqual(["lock:orders:1", "lock:orders:2"]);
  const text = await readEventsUntil(async (soFar) => {
    if (soFar.includes("snapshot")) {
      await server.call("/locks/lock%3Asalaries%3A4/acquire", { body: { owner: "app" } });
      await server.call("/locks/lock%3Aorders%3A4/acquire", { body: { owner: "app" } });
    }
    return soFar.includes("lock:orders:4");
  });
  expect(text).toContain("lock:orders:1");
  expect(text).not.toContain("salaries");
});

it("a limited API key sees only its own keys among those that share a token", async ({
  server,
  direct,
  headers,
  readEventsUntil,
}) => {
  const token = randomBytes(16).toString("hex");
  for (const key of ["lock:orders:7", "lock:salaries:7"]) await direct.set(key, token, "PX", 60_000);
  const address = "/locks/lock%3Aorders%3A7";
  const sharedWith = async (init?: object) => getKeys((await server.call(address, init)).body.sharedWith);
  await waitUntil(async () => (await sharedWith()).includes("lock:salaries:7"));
  expect(await sharedWith({ headers })).toEqual([]);
  const text = await readEventsUntil((soFar) => /event: snapshot\ndata: .*\n\n/.test(soFar));
  expect(text).toContain("lock:orders:7");
  expect(text).not.toContain("salaries");
});

it("a limited API key acts on its own keys only and is refused requests about all keys", async ({
  server,
  headers,
}) => {
  const codeOf = async (path: string, init?: Parameters<typeof server.call>[1]) =>
    (await server.call(path, { ...init, headers })).body.code;
  expect(await codeOf("/locks/lock%3Aorders%3A9/acquire", { body: { owner: "app" } })).toBeUndefined();
  for (const [path, body] of [
    ["/locks/lock%3Asalaries%3A3/acquire", { owner: "app" }],
    [`/holds/${createHoldId({ key: "lock:salaries:3" })}/release`, {}],
    ["/locks/lock%3Asalaries%3A3/force-release", { expectedVersion: "fence.1", reason: "mine" }],
    ["/locks/lock%3Asalaries%3A3", undefined],
    ["/locks/lock%3Asalaries%3A3/history", undefined],
    ["/locks/~bG9jazpzYWxhcmllczoz", undefined],
    ["/stats", undefined],
    ["/live", undefined],
    ["/finder", undefined],
  ] as const)
    expect([path, await codeOf(path, body && { body })]).toEqual([path, "forbidden"]);
  expect((await server.call("/locks/lock%3Asalaries%3A3")).body.holders).toHaveLength(1);
});
