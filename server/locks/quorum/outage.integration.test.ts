import { describe, expect } from "vitest";
import { separateMastersTest } from "../../../test/support/fixtures.ts";
import { createTestKey, measureMs, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { Companion } from "../../formats/companion.ts";
import { buildCompanionKey } from "../../formats/keys.ts";

const it = separateMastersTest(5).extend(
  "kill",
  ({ masters }) =>
    (...numbers: number[]) =>
      Promise.all(masters.getMasters(...numbers).map(({ master }) => master.kill())),
);

/** Lease in ms, long enough that requests have the maximum time limit. */
const LEASE_MS = 20_000;
const BUDGET_MS = 400;
/** More than the budget, and less than the time limit of a single command, which is 1 s. */
const REFUSED_WITHIN_MS = BUDGET_MS + 550;
/** Time, in ms, for which a release is retried on a single Redis. */
const RELEASE_MS = 2000;

describe("killed quorum masters", () => {
  it("two of five killed masters affect no hold or acquire, and a third makes locks unavailable", async ({
    kill,
    key,
    openClient,
  }) => {
    const client = await openClient();
    let wasInJeopardy = false;
    const onJeopardy = () => {
      wasInJeopardy = true;
    };
    const hold = await client.acquire(key, { leaseMs: 1500, owner: "me", onJeopardy });
    await kill(0, 1);
    await sleepMs(2000);
    hold.assertHeld();
    const other = createTestKey();
    expect(await measureMs(client.acquire(other, { leaseMs: LEASE_MS, owner: "me" }))).toMatchObject({
      code: "ok",
    });
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS }))).code).toBe("held");

    await kill(2);
    const refused = await measureMs(client.acquire(createTestKey(), { leaseMs: LEASE_MS }));
    expect(refused.code).toBe("unavailable");
    expect(refused.ms).toBeLessThan(REFUSED_WITHIN_MS);
    await waitUntil(() => hold.signal.aborted, 3500);
    expect(wasInJeopardy).toBe(true);
    expect(hold.signal.reason).toMatchObject({ code: "lost" });
  });

  it("an acquire that finds no majority leaves no votes on the remaining masters", async ({
    kill,
    masters,
    key,
    openClient,
  }) => {
    const client = await openClient();
    await kill(0, 1, 2);
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS, minHoldMs: 10_000 }))).code).toBe(
      "unavailable",
    );
    await waitUntil(async () => (await masters.readHolders(key, 3, 4)).every((holder) => holder === null));
  });

  it("a waiter survives missing masters for as long as it would survive an outage of a single Redis", async ({
    kill,
    masters,
    key,
    openClient,
  }) => {
    const client = await openClient();
    await kill(0, 1, 2);
    const waits = measureMs(client.acquire(key, { leaseMs: LEASE_MS, waitMs: 15_000 }));
    await sleepMs(600);
    await masters.getMasters(1)[0]?.master.restart();
    expect((await waits).code).toBe("ok");
    await kill(1);
    const refused = await measureMs(client.acquire(createTestKey(), { leaseMs: LEASE_MS, waitMs: 15_000 }));
    expect(refused.code).toBe("unavailable");
    expect(refused.ms).toBeGreaterThan(1000);
    expect(refused.ms).toBeLessThan(4000);
  });

  it("restarted masters take part in the quorum again", async ({ kill, masters, key, openClient }) => {
    const client = await openClient();
    await kill(0, 1, 2);
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS }))).code).toBe("unavailable");
    await masters.getMasters(0)[0]?.master.restart();
    await waitUntil(async () => (await measureMs(client.acquire(key, { leaseMs: LEASE_MS }))).code === "ok");
  });

  it("a release without a majority has an unknown outcome and counts once when repeated", async ({
    kill,
    masters,
    key,
    openClient,
  }) => {
    const client = await openClient();
    const outer = await client.acquire(key, { leaseMs: LEASE_MS, renew: false });
    const isAgreed = (each: Companion | undefined) => each?.fence === outer.fence;
    await waitUntil(async () => (await masters.readCompanions(key)).every(isAgreed));
    const inner = await outer.reenter();
    await kill(0, 1);
    expect(await inner.release()).toMatchObject({ outcome: "still_held", count: 1 });
    const again = await outer.reenter();
    await kill(2);
    const release = await measureMs(again.release());
    expect(release.code).toBe("unknown_outcome");
    expect(release.ms).toBeLessThan(RELEASE_MS + 500);
    expect((await masters.readCompanions(key, 3, 4)).map((hold) => hold?.count)).toEqual([1, 1]);

    await masters.getMasters(0)[0]?.master.restart();
    await waitUntil(async () => (await measureMs(again.release())).code === "ok");
    expect((await masters.readCompanions(key, 3, 4)).map((hold) => hold?.count)).toEqual([1, 1]);
    await outer.release();
    expect(await masters.readHolders(key, 3, 4)).toEqual([null, null]);
  });
});

describe("frozen quorum masters", () => {
  it("a frozen master delays no acquire past its time budget and holds no vote after it thaws", async ({
    masters,
    openClient,
  }) => {
    const client = await openClient();
    const [frozen] = masters.getMasters(3);
    frozen?.master.freeze();
    const held = createTestKey();
    const lone = createTestKey();
    await Promise.all(
      masters.getMasters(0, 1, 2).map(({ redis }) => redis.set(held, "somebody", "PX", 60_000)),
    );
    const refused = await measureMs(client.acquire(held, { leaseMs: LEASE_MS }));
    const granted = await measureMs(client.acquire(lone, { leaseMs: LEASE_MS, owner: "me" }));
    expect([refused.code, granted.code]).toEqual(["held", "ok"]);
    expect(Math.max(refused.ms, granted.ms)).toBeLessThan(BUDGET_MS);

    frozen?.master.thaw();
    // The companion contains the withdrawal only after the master has executed all requests that it received before.
    await waitUntil(
      async () => (await frozen?.redis.get(String(buildCompanionKey(held))))?.includes("withdrawn") === true,
    );
    expect(await masters.readHolders(held, 3)).toEqual([null]);
  });

  it("a request that reaches a master after it was withdrawn casts no vote", async ({
    masters,
    key,
    openClient,
  }) => {
    const [late] = masters.getMasters(0);
    if (late === undefined) throw new Error("no master");
    const proxy = await startTestProxy(late.master.port);
    const client = await openClient([`redis://127.0.0.1:${proxy.port}`, ...masters.urls.slice(1)]);
    await masters.occupy(key, [1, 2, 3]);
    proxy.mode = "keep_requests";
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS, owner: "me" }))).code).toBe("held");
    await waitUntil(() => proxy.keptCount > 0);
    proxy.mode = "pass";
    const companion = String(buildCompanionKey(key));
    await waitUntil(async () => (await late.redis.get(companion))?.includes("withdrawn") === true);
    const before = await masters.countScripts(0);
    proxy.deliverKept();
    await waitUntil(async () => (await masters.countScripts(0)) > before);
    expect(await late.redis.get(key)).toBeNull();
    client.close();
    await proxy.stop();
  });

  it("two frozen masters of three make locks unavailable within the time budget and hold no vote after they thaw", async ({
    masters,
    key,
    openClient,
  }) => {
    const client = await openClient(masters.urls.slice(0, 3));
    for (const { master } of masters.getMasters(0, 1)) master.freeze();
    const refused = await measureMs(client.acquire(key, { leaseMs: LEASE_MS, owner: "me" }));
    expect(refused.code).toBe("unavailable");
    expect(refused.ms).toBeLessThan(REFUSED_WITHIN_MS);
    for (const { master } of masters.getMasters(0, 1)) master.thaw();
    let token: string | undefined;
    await waitUntil(async () => {
      token = await client.acquire(key, { leaseMs: LEASE_MS }).then(
        (hold) => hold.token,
        () => undefined,
      );
      return token !== undefined;
    });
    await waitUntil(async () =>
      (await masters.readHolders(key, 0, 1, 2)).every((holder) => holder === token),
    );
  });
});
