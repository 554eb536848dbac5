import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestMasters, type TestMasters } from "../../../test/support/test-masters.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import { LockClient } from "../client/lock-client.ts";

let masters: TestMasters;
const clients: LockClient[] = [];

beforeEach(async () => {
  masters = await startTestMasters(5);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await masters.stop();
});

async function open(urls: readonly string[] = masters.urls): Promise<LockClient> {
  const client = await LockClient.open({ quorum: urls });
  clients.push(client);
  return client;
}

const createKey = () => `lock:${randomUUID()}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Of a lease this long the budget is the longest there is. */
const LEASE_MS = 20_000;
const BUDGET_MS = 400;
/** As long as one Redis is tried. */
const RELEASE_MS = 2000;

async function measureMs(call: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const startedAt = performance.now();
  const code = await call.then(
    () => "granted",
    (error: unknown) => (error instanceof LockkeeperError ? error.code : String(error)),
  );
  return { code, ms: performance.now() - startedAt };
}

const kill = (...numbers: number[]) =>
  Promise.all(masters.getMasters(...numbers).map(({ master }) => master.kill()));
const readHolders = (key: string, ...numbers: number[]) =>
  Promise.all(masters.getMasters(...numbers).map(({ redis }) => redis.get(key)));

describe("killed quorum masters", () => {
  it("two of five killed masters affect no hold or acquire, and a third makes locks unavailable", async () => {
    const client = await open();
    const key = createKey();
    const hold = await client.acquire(key, { leaseMs: 1500, owner: "me" });
    await kill(0, 1);
    await pause(2000);
    hold.assertHeld();
    expect(hold.state).toBe("held");
    const other = createKey();
    expect(await measureMs(client.acquire(other, { leaseMs: LEASE_MS, owner: "me" }))).toMatchObject({
      code: "granted",
    });
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS }))).code).toBe("held");

    await kill(2);
    const refused = await measureMs(client.acquire(createKey(), { leaseMs: LEASE_MS }));
    expect(refused.code).toBe("unavailable");
    expect(refused.ms).toBeLessThan(BUDGET_MS + 300);
    await waitUntil(() => hold.state === "jeopardy", 1500);
    await waitUntil(() => hold.signal.aborted, 2000);
    expect(hold.signal.reason).toMatchObject({ code: "lost" });
  });

  it("an acquire that finds no majority leaves no votes on the remaining masters", async () => {
    const client = await open();
    await kill(0, 1, 2);
    const key = createKey();
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS, minHoldMs: 10_000 }))).code).toBe(
      "unavailable",
    );
    await waitUntil(async () => (await readHolders(key, 3, 4)).every((holder) => holder === null));
  });

  it("a waiter survives missing masters for as long as it would survive an outage of a single Redis", async () => {
    const client = await open();
    await kill(0, 1, 2);
    const key = createKey();
    const waits = measureMs(client.acquire(key, { leaseMs: LEASE_MS, waitMs: 15_000 }));
    await pause(600);
    await masters.getMasters(1)[0]?.master.restart();
    expect((await waits).code).toBe("granted");
    await kill(1);
    const refused = await measureMs(client.acquire(createKey(), { leaseMs: LEASE_MS, waitMs: 15_000 }));
    expect(refused.code).toBe("unavailable");
    expect(refused.ms).toBeGreaterThan(1000);
    expect(refused.ms).toBeLessThan(4000);
  });

  it("restarted masters take part in the quorum again", async () => {
    const client = await open();
    await kill(0, 1, 2);
    const key = createKey();
    expect((await measureMs(client.acquire(key, { leaseMs: LEASE_MS }))).code).toBe("unavailable");
    await masters.getMasters(0)[0]?.master.restart();
    await waitUntil(
      async () => (await measureMs(client.acquire(key, { leaseMs: LEASE_MS }))).code === "granted",
    );
  });

  it("a release without a majority has an unknown outcome and counts once when repeated", async () => {
    const client = await open();
    const key = createKey();
    const outer = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    const inner = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    await kill(0, 1);
    expect(await inner.release()).toMatchObject({ outcome: "released", count: 1 });
    const again = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    await kill(2);
    const release = await measureMs(again.release());
    expect(release.code).toBe("unknown_outcome");
    expect(release.ms).toBeLessThan(RELEASE_MS + 500);
    expect((await masters.readCompanions(key, 3, 4)).map((hold) => hold?.count)).toEqual([1, 1]);

    await masters.getMasters(0)[0]?.master.restart();
    await waitUntil(async () => (await measureMs(again.release())).code === "granted");
    expect((await masters.readCompanions(key, 3, 4)).map((hold) => hold?.count)).toEqual([1, 1]);
    await outer.release();
    expect(await readHolders(key, 3, 4)).toEqual([null, null]);
  });
});

describe("frozen quorum masters", () => {
  it("a frozen master delays no acquire past its time budget and holds no vote after it thaws", async () => {
    const client = await open();
    const [frozen] = masters.getMasters(3);
    frozen?.master.freeze();
    const held = createKey();
    const lone = createKey();
    await Promise.all(
      masters.getMasters(0, 1, 2).map(({ redis }) => redis.set(held, "somebody", "PX", 60_000)),
    );
    const refused = await measureMs(client.acquire(held, { leaseMs: LEASE_MS }));
    const granted = await measureMs(client.acquire(lone, { leaseMs: LEASE_MS, owner: "me" }));
    expect([refused.code, granted.code]).toEqual(["held", "granted"]);
    expect(Math.max(refused.ms, granted.ms)).toBeLessThan(BUDGET_MS);

    frozen?.master.thaw();
    // What was sent to it meanwhile has been carried out when it says so.
    await waitUntil(
      async () => (await frozen?.redis.get(String(buildCompanionKey(held))))?.includes("withdrawn") === true,
    );
    expect(await readHolders(held, 3)).toEqual([null]);
  });

  it("a request that reaches a master after it was withdrawn casts no vote", async () => {
    const [late] = masters.getMasters(0);
    if (late === undefined) throw new Error("no master");
    const proxy = await startTestProxy(late.master.port);
    const client = await open([`redis://127.0.0.1:${proxy.port}`, ...masters.urls.slice(1)]);
    const key = createKey();
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

  it("two frozen masters of three make locks unavailable within the time budget and hold no vote after they thaw", async () => {
    const client = await open(masters.urls.slice(0, 3));
    const key = createKey();
    for (const { master } of masters.getMasters(0, 1)) master.freeze();
    const refused = await measureMs(client.acquire(key, { leaseMs: LEASE_MS, owner: "me" }));
    expect(refused.code).toBe("unavailable");
    expect(refused.ms).toBeLessThan(BUDGET_MS + 300);
    for (const { master } of masters.getMasters(0, 1)) master.thaw();
    await waitUntil(
      async () =>
        (await measureMs(client.acquire(key, { leaseMs: LEASE_MS, owner: "you" }))).code === "granted",
    );
    await waitUntil(async () => (await readHolders(key, 0, 1, 2)).every((holder) => holder === "you"));
  });
});
