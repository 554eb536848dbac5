import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ environment: { LOCKKEEPER_WATCH: "lock:*" } });
});
afterAll(async () => await server.stop());

const readFinding = async () => (await server.call("/finder")).body;

it("the finder scans all keys on request and suggests what else to watch", async () => {
  expect(await readFinding()).toMatchObject({ state: "idle", groups: [], watch: null });
  const direct = server.redis.createClient();
  for (let n = 0; n < 30; n++) {
    await direct.hset(`order-${n}`, `${randomUUID()}:${n}`, "1");
    await direct.pexpire(`order-${n}`, 60_000);
    await direct.set(`page:${n}`, "<html>");
  }
  const { status } = await server.call("/finder", { body: {} });
  expect(status).toBe(200);
  await waitUntil(async () => (await readFinding()).state === "done");
  const found = await readFinding();
  expect(found.groups).toMatchObject([
    { pattern: "order-*", format: "redisson", count: 30, isWatched: false },
  ]);
  expect(found.watch.split(",")).toEqual(expect.arrayContaining(["lock:*", "order-*"]));
  expect(found.scanned).toBeGreaterThanOrEqual(60);
});

it("the finder can be cancelled, and rejects unknown input and missing credentials", async () => {
  expect((await server.call("/finder/cancel", { method: "POST" })).status).toBe(200);
  expect((await server.call("/finder", { body: { again: true } })).body.code).toBe("invalid");
  expect((await fetch(`${server.url}/api/v1/finder`, { method: "POST" })).status).toBe(401);
});
