import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { locksTest } from "../../test/support/fixtures.ts";
import { listenAsSpring, startPythonWaiter } from "../../test/support/foreign-waiters.ts";
import { forceReleaseObserved, observeHeldLock, RESERVED_BY_MEI } from "../../test/support/observed-lock.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildEventChannel } from "../formats/keys.ts";
import { LockClient } from "./client/lock-client.ts";

const it = locksTest().extend("other", { scope: "file" }, ({ env }) =>
  env.openClient({ signalledLibraries: ["python-redis-lock", "spring"] }),
);

const TOKEN = { format: "token", leaseMs: 60_000, renew: false } as const;

describe("waiters of other libraries beside a token hold", () => {
  it("a release wakes a blocked python-redis-lock waiter", async ({ env, direct, other }) => {
    const name = randomUUID();
    const hold = await other.acquire(`lock:${name}`, TOKEN);
    const waiter = await startPythonWaiter(env.redis, direct, name);
    expect((await hold.release()).outcome).toBe("released");
    await waitUntil(() => waiter.hasLock);
    expect(waiter.tries).toBe(1);
  });

  it("a release notifies Spring waiters", async ({ env, other }) => {
    const key = `orders:lock:${randomUUID()}`;
    const hold = await other.acquire(key, TOKEN);
    const heard = await listenAsSpring(env.redis, "orders");
    await hold.release();
    await waitUntil(() => heard.length > 0);
    expect(heard).toEqual([`orders-channel:${key} ${key}`]);
  });

  it("a release sends nothing for libraries that were not named", async ({ env, direct, client, other }) => {
    const [quiet, loud] = [`orders:lock:${randomUUID()}`, `orders:lock:${randomUUID()}`];
    const heard = await listenAsSpring(env.redis, "orders");
    await (await client.acquire(quiet, TOKEN)).release();
    await (await other.acquire(loud, TOKEN)).release();
    await waitUntil(() => heard.length > 0);
    expect(heard).toEqual([`orders-channel:${loud} ${loud}`]);
    expect(await direct.exists(quiet.replace("lock:", "lock-signal:"))).toBe(0);
  });

  it("a release succeeds where the name of the signal holds other data", async ({ direct, other }) => {
    const name = randomUUID();
    await direct.set(`lock-signal:${name}`, "data");
    const hold = await other.acquire(`lock:${name}`, TOKEN);
    expect((await hold.release()).outcome).toBe("released");
    expect(await direct.get(`lock-signal:${name}`)).toBe("data");
    expect(await direct.exists(`lock:${name}`)).toBe(0);
  });

  it("a user who may not access the signal's key releases all the same", async ({ env, direct }) => {
    const name = randomUUID();
    const rules = ["~lock:*", "~lockkeeper:*", "~redisson_lock_token:*", "&*", "+@all"];
    await direct.call("ACL", "SETUSER", "app", "on", ">secret", ...rules);
    const url = env.redis.url.replace("redis://", "redis://app:secret@");
    const client = await LockClient.open(url, { signalledLibraries: ["python-redis-lock"] });
    const hold = await client.acquire(`lock:${name}`, TOKEN);
    expect((await hold.release()).outcome).toBe("released");
    expect(await direct.exists(`lock:${name}`, `lock-signal:${name}`)).toBe(0);
    client.close();
  });

  it("a signal that nobody takes expires after 1 s", async ({ direct, other }) => {
    const name = randomUUID();
    await (await other.acquire(`lock:${name}`, TOKEN)).release();
    expect(await direct.lrange(`lock-signal:${name}`, 0, -1)).toEqual(["1"]);
    const leftMs = await direct.pttl(`lock-signal:${name}`);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(1000);
  });

  it("a force-release wakes waiters of every library, whatever was named", async ({
    env,
    direct,
    client,
  }) => {
    const name = randomUUID();
    const key = `lock:${name}`;
    await client.acquire(key, TOKEN);
    const heard = await listenAsSpring(env.redis, "lock");
    const waiter = await startPythonWaiter(env.redis, direct, name);
    const seen = await observeHeldLock(direct, key);
    expect(await forceReleaseObserved(direct, buildEventChannel(0), seen, {})).toBe("released");
    await waitUntil(() => waiter.hasLock && heard.length > 0);
    expect(heard).toEqual([`lock-channel:${key} ${key}`]);
  });

  it.for(["release", "force-release"] as const)(
    "the end of a reservation after a %s wakes waiters of every library",
    async (verb, { env, direct, client }) => {
      const name = randomUUID();
      const key = `lock:${name}`;
      const hold = await client.acquire(key, TOKEN);
      const waiter = await startPythonWaiter(env.redis, direct, name);
      const reservedMs = 400;
      if (verb === "release") await hold.release({ reservedMs });
      else {
        const reservation = { owner: RESERVED_BY_MEI, reservedMs };
        const seen = await observeHeldLock(direct, key);
        await forceReleaseObserved(direct, buildEventChannel(0), seen, { reservation });
      }
      expect(await direct.get(key)).toMatch(/^lockkeeper:reserve:/);
      await waitUntil(() => waiter.hasLock);
      expect(waiter.tries).toBe(1);
    },
  );

  it("the end of a minimum hold time wakes waiters of every library", async ({ env, direct, client }) => {
    const name = randomUUID();
    const hold = await client.acquire(`lock:${name}`, { ...TOKEN, minHoldMs: 700 });
    const waiter = await startPythonWaiter(env.redis, direct, name);
    await hold.release();
    await waitUntil(() => waiter.hasLock);
  });

  it("the end of a reserved free lock wakes waiters of every library", async ({ env, direct, client }) => {
    const name = randomUUID();
    await client.reserve(`lock:${name}`, { by: "mei", reservedMs: 700, format: "token" });
    const waiter = await startPythonWaiter(env.redis, direct, name);
    await waitUntil(() => waiter.hasLock);
  });
});
