import { expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createRedissonOwner } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const it = serverTest({ environment: { LOCKKEEPER_WATCH: "lock:*" } }).extend(
  "readFinding",
  { scope: "file" },
  ({ server }) =>
    async () =>
      (await server.call("/finder")).body,
);

it("the finder scans all keys on request and suggests what else to watch", async ({
  server,
  direct,
  readFinding,
}) => {
  expect(await readFinding()).toMatchObject({ state: "idle", groups: [], watch: null });
  for (let n = 0; n < 30; n++) {
    await direct.hset(`order-${n}:lock`, createRedissonOwner(n), "1");
    await direct.pexpire(`order-${n}:lock`, 60_000);
    await direct.set(`page:${n}`, "<html>");
  }
  const { status } = await server.call("/finder", { body: {} });
  expect(status).toBe(200);
  await waitUntil(async () => (await readFinding()).state === "done");
  const found = await readFinding();
  expect(found.groups).toMatchObject([
    { pattern: "order-*:lock", format: "redisson", count: 30, isWatched: false },
  ]);
  expect(found.watch.split(",")).toEqual(expect.arrayContaining(["lock:*", "order-*:lock"]));
  expect(found.scanned).toBeGreaterThanOrEqual(60);
});

it("the finder can be cancelled, and rejects unknown input and missing credentials", async ({ server }) => {
  expect((await server.call("/finder/cancel", { method: "POST" })).status).toBe(200);
  expect((await server.call("/finder", { body: { again: true } })).body.code).toBe("invalid");
  expect((await server.callAnonymously("/finder", { method: "POST" })).status).toBe(401);
});
