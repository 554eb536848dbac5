import { describe, expect } from "vitest";
import { separateMastersTest } from "../../../test/support/fixtures.ts";
import { createTestKey, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { Companion } from "../../formats/companion.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import { openBackend } from "../backends/open-backend.ts";

const it = separateMastersTest(5);

/** Lease in ms, long enough that requests have the maximum time limit. */
const LEASE_MS = 20_000;
/** Time, in ms, for which a release is retried on a single Redis. */
const RELEASE_MS = 2000;

describe("returning quorum masters", () => {
  /** Options of a Redis server whose acknowledged writes survive a kill of the process. */
  const keepingOptions = () => ({ args: ["--appendonly", "yes", "--appendfsync", "no"] });

  it("a returning master drops a hold that was released or counted too often while it was down", async ({
    openClient,
  }) => {
    const keeping = await startTestMasters(3, keepingOptions);
    const client = await openClient(keeping.urls);
    const [away] = keeping.getMasters(1);
    const [gone, counted] = [createTestKey(), createTestKey()];
    const hold = await client.acquire(gone, { leaseMs: LEASE_MS, renew: false });
    const outer = await client.acquire(counted, { leaseMs: LEASE_MS, renew: false });
    const isAgreed = (each: Companion | undefined) => each?.fence === outer.fence;
    await waitUntil(async () => (await keeping.readCompanions(counted)).every(isAgreed));
    const inner = await outer.reenter();
    await waitUntil(async () => (await keeping.readHolders(gone)).every((vote) => vote === hold.token));
    // A majority can re-enter before all masters have. The master that will be killed must have counted the re-entry
    // too.
    await waitUntil(async () => (await keeping.readCompanions(counted)).every((each) => each?.count === 2));
    await away?.master.kill();
    await Promise.all([hold.release(), inner.release()]);
    // Waits longer than the client retries the release, so a later retry cannot affect the results below.
    await sleepMs(RELEASE_MS + 200);
    await away?.master.restart();
    await waitUntil(async () => (await away?.redis.get(gone)) === null);
    expect((await keeping.readCompanions(counted)).map((each) => each?.count)).toEqual([1, 2, 1]);
    await outer.release();
    await waitUntil(async () => (await away?.redis.get(counted)) === null);
    await keeping.stop();
  });

  it("a late release on a returning master does not affect the same owner's next hold", async ({
    key,
    openClient,
  }) => {
    const keeping = await startTestMasters(3, keepingOptions);
    const client = await openClient(keeping.urls);
    const before = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    const [away] = keeping.getMasters(2);
    await away?.master.kill();
    await before.release();
    const now = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    expect(now.token).not.toBe(before.token);
    await sleepMs(RELEASE_MS + 200);
    await away?.master.restart();
    await waitUntil(async () => (await away?.redis.get(key)) === null);
    expect((await keeping.readCompanions(key)).slice(0, 2)).toMatchObject([
      { fence: now.fence },
      { fence: now.fence },
    ]);
    await now.release();
    await keeping.stop();
  });
});

describe("release before the slowest vote", () => {
  it("a master that executes the release before the acquire casts no vote", async ({ masters }) => {
    const backend = await openBackend({ quorum: masters.urls }, ["*"]);
    const [key, other] = [createTestKey(), createTestKey()];
    const [slow] = masters.getMasters(4);
    const ask = { owner: "me", leaseMs: LEASE_MS };
    const { grant: first } = await backend.verbs.acquire(other, ask);
    await slow?.redis.call("SCRIPT", "FLUSH");
    // Caches the release script but not the acquire script, so that the acquire arrives after the release.
    await backend.verbs.release(first);
    await waitUntil(async () => (await slow?.redis.exists(other)) === 0);
    slow?.master.freeze();
    const { grant } = await backend.verbs.acquire(key, ask);
    await backend.verbs.release(grant);
    const before = await masters.countScripts(0);
    slow?.master.thaw();
    await waitUntil(async () => (await slow?.redis.exists(String(buildCompanionKey(key)))) === 1);
    await sleepMs(200);
    expect(await masters.countScripts(0)).toBe(before);
    expect(await masters.readHolders(key, 0, 1, 2, 3, 4)).toEqual([null, null, null, null, null]);
    backend.close();
  });
});

describe("re-entry before the slowest vote", () => {
  it("a slow master still votes for the hold and keeps nothing after its release", async ({
    masters,
    key,
  }) => {
    const backend = await openBackend({ quorum: masters.urls }, ["*"]);
    const [slow] = masters.getMasters(4);
    slow?.master.freeze();
    const { verbs } = backend;
    const { grant } = await verbs.acquire(key, { owner: "me", leaseMs: LEASE_MS });
    expect((await verbs.reenter(grant)).count).toBe(2);
    const released = await verbs.release(grant, { requestId: "r1" });
    expect(released).toMatchObject({ outcome: "still_held", count: 1 });
    slow?.master.thaw();
    await waitUntil(async () => (await masters.readCompanions(key, 4))[0]?.fence === grant.fence);
    expect(await verbs.release(grant)).toMatchObject({ outcome: "released", count: 0 });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
    backend.close();
  });
});
