import { expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { getErrorCode } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const it = locksTest();

it("readers share the lock and keep out a writer, and the reverse", async ({ client, direct, key }) => {
  const one = await client.acquire(key, { kind: "read" });
  const two = await client.acquire(key, { kind: "read" });
  expect(await direct.hgetall(key)).toEqual({ mode: "read", [one.token]: "1", [two.token]: "1" });
  expect(one.fence).toBe(two.fence);
  expect(await getErrorCode(client.acquire(key, { kind: "write" }))).toBe("held");
  expect(await one.release()).toMatchObject({ outcome: "released" });
  expect(await direct.hgetall(key)).toEqual({ mode: "read", [two.token]: "1" });
  const writing = client.acquire(key, { kind: "write", waitMs: 5000 });
  await two.release();
  const writer = await writing;
  expect(await direct.hgetall(key)).toEqual({ mode: "write", [writer.token]: "1" });
  expect(BigInt(writer.fence)).toBeGreaterThan(BigInt(two.fence));
  const reading = [1, 2, 3].map(() => client.acquire(key, { kind: "read", waitMs: 5000 }));
  await writer.downgrade();
  const readers = await Promise.all(reading);
  expect(new Set(readers.map(({ fence }) => fence))).toEqual(new Set([writer.fence]));
  for (const reader of [...readers, writer]) await reader.release();
  expect(await direct.keys(`*${key}*:rwlock_timeout:*`)).toEqual([]);
  expect(await direct.exists(key)).toBe(0);
});

it("a release during a pending downgrade releases the reader's hold", async ({ env, direct, key }) => {
  const proxy = await startTestProxy(env.redis.port);
  const client = await env.openClient({ port: proxy.port });
  let downgraded: Promise<string> | undefined;
  await client.withLock(key, { kind: "write" }, async (hold) => {
    proxy.getDelayMs = () => 200;
    downgraded = getErrorCode(hold.downgrade());
    await waitUntil(async () => (await direct.hget(key, "mode")) === "read");
  });
  expect(await direct.exists(key)).toBe(0);
  expect(await downgraded).toBe("ok");
  client.close();
  await proxy.stop();
});
