import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { listenAsSpring, startPythonWaiter } from "../../test/support/foreign-waiters.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const it = serverTest({ environment: { LOCKKEEPER_LOCKABLE: "*", LOCKKEEPER_WATCH: "*" } }).extend(
  "hold",
  { scope: "file" },
  ({ server }) =>
    async (key: string) => {
      const path = `/locks/${encodeURIComponent(key)}`;
      const { status, body } = await server.call(`${path}/acquire`, {
        body: { owner: "me", format: "token" },
      });
      expect(status).toBe(201);
      return async () => {
        const released = await server.call(`/holds/${body.holdId}/release`, { body: {} });
        expect(released.body.outcome).toBe("released");
      };
    },
);

describe("a release through the API", () => {
  it("signals a library once a lock of it was seen on the target", async ({ server, direct, hold }) => {
    const [before, after] = [randomUUID(), randomUUID()];
    await (await hold(`lock:${before}`))();
    expect(await direct.exists(`lock-signal:${before}`)).toBe(0);
    await direct.set(`lock:${randomUUID()}`, "h5Gq/0ZkWcX1nP2sT8vB+yQe", "PX", 60_000);
    const isSeen = async () => (await server.call("/locks?filter=format:python-redis-lock")).body.total > 0;
    await waitUntil(isSeen);
    const release = await hold(`lock:${after}`);
    const waiter = await startPythonWaiter(server.redis, direct, after);
    await release();
    await waitUntil(() => waiter.hasLock);
    expect(waiter.tries).toBe(1);
  });

  it("signals the library that a format rule names for the key", async ({ server, hold }) => {
    const rules = [{ pattern: "orders:*", format: "spring" }];
    expect((await server.call("/formats/rules", { method: "PUT", body: { rules } })).status).toBe(200);
    const key = `orders:${randomUUID()}`;
    const heard = await listenAsSpring(server.redis, "orders");
    await (await hold(key))();
    await waitUntil(() => heard.length > 0);
    expect(heard).toEqual([`orders-channel:${key} ${key}`]);
  });
});
