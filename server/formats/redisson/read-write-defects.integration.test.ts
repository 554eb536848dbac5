import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { RedissonReadWriteThread } from "../../../test/support/redisson-read-write.ts";
import { catchLockError, getErrorCode } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const it = locksTest().extend(
  "thread",
  ({ direct, key }) => new RedissonReadWriteThread(direct, key, `${randomUUID()}:7`),
);

const SHORT_MS = 10_000;
const LONG_MS = 60_000;
/** Maximum time in ms that a slow machine needs between two commands. */
const SLACK_MS = 2000;

/** Each test first reproduces the defect with the scripts of Redisson 4.7.0. */
describe("defects of Redisson's read/write lock that Lockkeeper does not have", () => {
  it("re-entering for writing adds the lease to the time left", async ({
    locks,
    direct,
    key,
    thread,
    acquire,
  }) => {
    await thread.lockWrite(LONG_MS);
    await thread.lockWrite(LONG_MS);
    expect(await direct.pttl(key)).toBeGreaterThan(2 * LONG_MS - SLACK_MS);
    await direct.del(key);
    const hold = await acquire(key, "me", { kind: "write", leaseMs: LONG_MS });
    await locks.reenter(hold, { requestId: randomUUID(), leaseMs: LONG_MS });
    expect(await direct.pttl(key)).toBeLessThanOrEqual(LONG_MS);
  });

  it("releasing one count of a writer sets the lease of the inner lock", async ({
    locks,
    direct,
    key,
    thread,
    acquire,
  }) => {
    await thread.lockWrite(LONG_MS);
    await thread.lockWrite(SHORT_MS);
    await thread.unlockWrite(SHORT_MS);
    expect(await direct.pttl(key)).toBeLessThanOrEqual(SHORT_MS);
    await direct.del(key);
    const hold = await acquire(key, "me", { kind: "write", leaseMs: LONG_MS });
    await locks.reenter(hold, { requestId: randomUUID(), leaseMs: SHORT_MS });
    expect(await locks.release(hold, { requestId: randomUUID() })).toMatchObject({ outcome: "still_held" });
    expect(await direct.pttl(key)).toBeGreaterThan(LONG_MS - SLACK_MS);
  });

  it("a reader with a shorter inner lease loses its outer one", async ({
    locks,
    direct,
    key,
    thread,
    acquire,
  }) => {
    await thread.lockRead(LONG_MS);
    await thread.lockRead(SHORT_MS);
    await direct.del(`{${key}}:${thread.owner}:rwlock_timeout:1`);
    await thread.unlockRead();
    expect(await direct.exists(key)).toBe(0);
    const hold = await acquire(key, "me", { kind: "read", leaseMs: SHORT_MS });
    await locks.reenter(hold, { requestId: randomUUID(), leaseMs: LONG_MS });
    expect(await locks.release(hold, { requestId: randomUUID() })).toMatchObject({ outcome: "still_held" });
    // Each count has the whole lease, regardless of the order of releases.
    expect(await locks.verify(hold)).toMatchObject({ held: true, count: 1 });
    const { remainingMs } = await locks.renew(hold);
    expect(remainingMs).toBeGreaterThan(LONG_MS - SLACK_MS);
  });

  it("the fencing token changes with a re-entry", async ({ locks, key, acquire }) => {
    for (const kind of ["read", "write"] as const) {
      const hold = await acquire(`${key}:${kind}`, "me", { kind });
      expect(await locks.reenter(hold, { requestId: randomUUID() })).toMatchObject({
        fence: hold.fence,
        count: 2,
      });
    }
  });

  it("a writer that becomes a reader wakes no reader", async ({
    env,
    locks,
    direct,
    key,
    thread,
    acquire,
  }) => {
    const subscriber = env.redis.createClient();
    const messages: string[] = [];
    subscriber.on("message", (_channel, message: string) => messages.push(message));
    await subscriber.subscribe(`redisson_rwlock:{${key}}`);
    const readMessages = async () => {
      await direct.publish(`redisson_rwlock:{${key}}`, "end");
      await waitUntil(() => messages.includes("end"));
      return messages.splice(0).filter((message) => message !== "end");
    };
    await thread.lockWrite();
    await thread.lockRead();
    await thread.unlockWrite();
    expect(await direct.hget(key, "mode")).toBe("read");
    expect(await readMessages()).toEqual([]);
    await thread.unlockRead();
    expect(await readMessages()).toEqual(["0"]);
    const reader = await locks.downgrade(await acquire(key, "me", { kind: "write" }));
    expect(await readMessages()).toEqual(["1"]);
    const other = await acquire(key, "other", { kind: "read" });
    await locks.release(reader);
    expect(await readMessages()).toEqual([]);
    await locks.release(other);
    expect(await readMessages()).toEqual(["0"]);
    await locks.release(await acquire(key, "me", { kind: "write" }));
    expect(await readMessages()).toEqual(["1"]);
  });

  it("a reader whose lease has ended keeps out writers while others read, and prolongs the lock", async ({
    locks,
    direct,
    key,
    thread,
    acquire,
  }) => {
    await thread.lockRead();
    const lease = `{${key}}:${thread.owner}:rwlock_timeout:1`;
    await direct.del(lease);
    expect(await new RedissonReadWriteThread(direct, key, `${randomUUID()}:8`).lockWrite()).toBe(false);
    const hold = await acquire(key, "me", { kind: "write" });
    expect(await direct.hgetall(key)).toEqual({ mode: "write", [hold.token]: "1" });
    await locks.release(hold);
    const dead = await acquire(key, "dead", { kind: "read", leaseMs: SHORT_MS });
    const alive = await acquire(key, "alive", { kind: "read", leaseMs: SHORT_MS });
    await direct.del(`{${key}}:${dead.token}:rwlock_timeout:1`);
    const [renewed] = await locks.renewHolds([{ ...dead, leaseMs: LONG_MS }]);
    expect(renewed?.status).toBe("rejected");
    expect(await direct.pttl(key)).toBeLessThanOrEqual(SHORT_MS);
    // The dead reader does not appear in a refusal, and the next release removes it.
    const error = await catchLockError(locks.acquire(key, { owner: "w", leaseMs: SHORT_MS, kind: "write" }));
    expect(error.facts).toMatchObject({ holders: [{ owner: "alive" }] });
    await locks.release(alive);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a plain lock on the key does not keep out readers and writers", async ({
    direct,
    key,
    thread,
    acquire,
  }) => {
    const plain = await acquire(key, "me");
    expect(await thread.lockRead()).toBe(true);
    await direct.del(key);
    await acquire(key, "me");
    for (const kind of ["read", "write"] as const)
      expect(await getErrorCode(acquire(key, "me", { kind }))).toBe("held");
    expect(plain.count).toBe(1);
  });
});
