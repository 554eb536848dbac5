import { describe, expect } from "vitest";
import { checkSharedObjects } from "../../../test/conformance/shared-objects.ts";
import { RedissonPlainSemaphore } from "../../../test/support/redisson-plain-semaphore.ts";
import { semaphoreTest } from "../../../test/support/semaphore-fixture.ts";
import { getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { readDetails } from "../../formats/registry/read-details.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";
import { LockClient } from "./lock-client.ts";

const SEMAPHORE = { kind: "semaphore", limit: 5 } as const;
const MEI = { by: "mei", reason: "stuck" };

const it = semaphoreTest().extend("observe", { scope: "file" }, ({ direct }) => async (key: string) => {
  const [seen] = await readDetails(direct, await readKeys(direct, [key]));
  if (seen?.state !== "held") throw new Error(`${key} is ${seen?.state}`);
  return seen;
});

it("semaphores of both kinds and latches work for two clients", async ({ env, client, key }) => {
  const other = await LockClient.open(env.redis.url);
  await checkSharedObjects(client, other, key);
  other.close();
});

describe("a plain semaphore in the client library", () => {
  it("lists each hold beside permits of unknown holders, and an operator force-releases one of them", async ({
    client,
    locks,
    direct,
    observe,
    key,
  }) => {
    const jvm = new RedissonPlainSemaphore(direct, key);
    await jvm.trySetPermits(9);
    await jvm.tryAcquire(4);
    const one = await client.acquire(key, { kind: "plain_semaphore", permits: 2, owner: "one" });
    const two = await client.acquire(key, { kind: "plain_semaphore", owner: "two" });
    const seen = await observe(key);
    expect(seen).toMatchObject({ kind: "semaphore", permits: { available: 2, total: null } });
    expect(seen.holders).toHaveLength(2);
    const holder = seen.holders.find(({ owner }) => owner === "one");
    expect(holder).toMatchObject({ count: 2, fence: one.fence, kind: "plain_semaphore" });
    expect(await locks.forceRelease(seen, { ...MEI, holder })).toMatchObject({ outcome: "released" });
    await waitUntil(() => one.signal.aborted, 5000);
    expect(one.signal.reason).toMatchObject({ code: "lost" });
    expect(two.state).toBe("held");
    expect(await direct.get(key)).toBe("4");
    await two.release();
    expect(await jvm.tryAcquire(5)).toBe(true);
  });

  it("an operator asks one hold for its release", async ({ client, locks, observe, key }) => {
    const hold = await client.acquire(key, { kind: "plain_semaphore", limit: 2 });
    const asked = new Promise<string>((resolve) => {
      hold.onReleaseRequested((request) => {
        void request.refuse("busy").then(() => resolve(request.reason));
      });
    });
    await waitUntil(async () => (await observe(key)).holders.some((each) => each.receivesReleaseRequests));
    const seen = await observe(key);
    expect(await locks.requestRelease(seen, seen.holders[0], MEI)).toMatchObject({ outcome: "requested" });
    expect(await asked).toBe("stuck");
    await hold.release();
  });
});

describe("a semaphore in the client library", () => {
  it("the watchdog renews all permits of each hold", async ({ client, readState, key }) => {
    const holds = [
      await client.acquire(key, { ...SEMAPHORE, permits: 3, leaseMs: 1000 }),
      await client.acquire(key, { ...SEMAPHORE, leaseMs: 1000 }),
    ];
    expect(holds.map(({ kind, count }) => [kind, count])).toEqual([
      ["semaphore", 3],
      ["semaphore", 1],
    ]);
    await sleepMs(1500);
    for (const hold of holds) hold.assertHeld();
    for (const hold of holds) expect(await hold.release()).toMatchObject({ outcome: "released" });
    expect(await readState(key)).toEqual({ available: "5", acquired: 0 });
  });

  it("withLock returns the permits after the work, and a re-entry is invalid", async ({
    client,
    readState,
    key,
  }) => {
    await client.withLock(key, { ...SEMAPHORE, permits: 2 }, async (hold) => {
      expect(await readState(key)).toEqual({ available: "3", acquired: 2 });
      expect(await getErrorCode(hold.reenter())).toBe("invalid");
    });
    expect(await readState(key)).toEqual({ available: "5", acquired: 0 });
    expect(await client.setLimit(key, 6)).toMatchObject({ limit: 6, available: 6 });
  });

  it("an operator force-releases one hold, whose client is notified at once", async ({
    client,
    locks,
    observe,
    readState,
    key,
  }) => {
    const one = await client.acquire(key, { ...SEMAPHORE, permits: 2, owner: "one" });
    const two = await client.acquire(key, { ...SEMAPHORE, owner: "two" });
    const seen = await observe(key);
    const holder = seen.holders.find(({ owner }) => owner === "one");
    expect(holder).toMatchObject({ count: 2, fence: one.fence });
    const outdated = holder && { ...holder, fence: two.fence };
    expect(await locks.forceRelease(seen, { ...MEI, holder: outdated })).toMatchObject({
      outcome: "changed",
    });
    expect(await locks.forceRelease(seen, { ...MEI, holder })).toMatchObject({ outcome: "released" });
    // The next renewal is due after 10 s.
    await waitUntil(() => one.signal.aborted, 5000);
    expect(one.signal.reason).toMatchObject({ code: "lost" });
    expect(two.state).toBe("held");
    expect(await readState(key)).toEqual({ available: "4", acquired: 1 });
    expect(await locks.forceRelease(seen, { ...MEI, holder })).toMatchObject({ outcome: "gone" });
    expect(await locks.forceRelease(await observe(key), { ...MEI, holder: undefined })).toMatchObject({
      outcome: "released",
    });
    await waitUntil(() => two.signal.aborted, 5000);
  });

  it("an operator asks the client of one hold to release it", async ({ client, locks, observe, key }) => {
    const hold = await client.acquire(key, { ...SEMAPHORE, owner: "one" });
    await client.acquire(key, { ...SEMAPHORE, owner: "two" });
    const asked = new Promise<string>((resolve) => {
      hold.onReleaseRequested((request) => {
        void request.accept("done").then(() => resolve(request.reason));
      });
    });
    await waitUntil(async () => (await observe(key)).holders.some((each) => each.receivesReleaseRequests));
    const seen = await observe(key);
    const holder = seen.holders.find(({ owner }) => owner === "one") ?? seen.holders[0];
    expect(await locks.requestRelease(seen, holder, MEI)).toMatchObject({ outcome: "requested" });
    expect(await asked).toBe("stuck");
    await hold.release();
  });
});
