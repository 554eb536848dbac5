import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestMasters, type TestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import { openBackend } from "../backends/open-backend.ts";
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
/** As long as one Redis is tried. */
const RELEASE_MS = 2000;

const readHolders = (key: string, ...numbers: number[]) =>
  Promise.all(masters.getMasters(...numbers).map(({ redis }) => redis.get(key)));

describe("returning quorum masters", () => {
  /** What is acknowledged outlives the process. */
  const keepingOptions = () => ({ args: ["--appendonly", "yes", "--appendfsync", "no"] });

  it("a returning master drops a hold that was released or counted too often while it was down", async () => {
    const keeping = await startTestMasters(3, keepingOptions);
    const client = await open(keeping.urls);
    const [away] = keeping.getMasters(1);
    const [gone, counted] = [createKey(), createKey()];
    const hold = await client.acquire(gone, { leaseMs: LEASE_MS, renew: false });
    const outer = await client.acquire(counted, { leaseMs: LEASE_MS, owner: "me", renew: false });
    const inner = await client.acquire(counted, { leaseMs: LEASE_MS, owner: "me", renew: false });
    await waitUntil(async () => (await keeping.readHolders(gone)).every((vote) => vote === hold.owner));
    // Granted as soon as a majority has it: the one that is killed is to have counted it, too.
    await waitUntil(async () => (await keeping.readCompanions(counted)).every((each) => each?.count === 2));
    await away?.master.kill();
    await Promise.all([hold.release(), inner.release()]);
    // Longer than a release is tried for: what follows is no part of it.
    await pause(RELEASE_MS + 200);
    await away?.master.restart();
    await waitUntil(async () => (await away?.redis.get(gone)) === null);
    expect((await keeping.readCompanions(counted)).map((each) => each?.count)).toEqual([1, 2, 1]);
    await outer.release();
    await waitUntil(async () => (await away?.redis.get(counted)) === null);
    await keeping.stop();
  });

  it("a late release on a returning master does not affect the same owner's next hold", async () => {
    const keeping = await startTestMasters(3, keepingOptions);
    const client = await open(keeping.urls);
    const key = createKey();
    const before = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    const [away] = keeping.getMasters(2);
    await away?.master.kill();
    await before.release();
    const now = await client.acquire(key, { leaseMs: LEASE_MS, owner: "me", renew: false });
    await pause(RELEASE_MS + 200);
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
  it("a master that executes the release before the acquire casts no vote", async () => {
    const backend = await openBackend({ quorum: masters.urls }, ["*"]);
    const [key, other] = [createKey(), createKey()];
    const [slow] = masters.getMasters(4);
    await slow?.redis.call("SCRIPT", "FLUSH");
    // It knows how to release from here on, and has to be told how to grant: that comes behind the release.
    await backend.verbs.release(other, { owner: "me" });
    await waitUntil(async () => (await slow?.redis.exists(String(buildCompanionKey(other)))) === 1);
    slow?.master.freeze();
    await backend.verbs.acquire(key, { owner: "me", leaseMs: LEASE_MS, reentrant: true });
    await backend.verbs.release(key, { owner: "me" });
    const before = await masters.countScripts(0);
    slow?.master.thaw();
    await waitUntil(async () => (await slow?.redis.exists(String(buildCompanionKey(key)))) === 1);
    await pause(200);
    expect(await masters.countScripts(0)).toBe(before);
    expect(await readHolders(key, 0, 1, 2, 3, 4)).toEqual([null, null, null, null, null]);
    backend.close();
  });
});

describe("re-entry before the slowest vote", () => {
  it("a slow master still votes for the hold and keeps nothing after its release", async () => {
    const backend = await openBackend({ quorum: masters.urls }, ["*"]);
    const key = createKey();
    const ask = { owner: "me", leaseMs: LEASE_MS, reentrant: true };
    const [slow] = masters.getMasters(4);
    slow?.master.freeze();
    const { grant } = await backend.verbs.acquire(key, ask);
    expect((await backend.verbs.acquire(key, ask)).grant.count).toBe(2);
    expect(await backend.verbs.release(key, { owner: "me" })).toMatchObject({
      outcome: "released",
      count: 1,
    });
    slow?.master.thaw();
    await waitUntil(async () => (await masters.readCompanions(key, 4))[0]?.fence === grant.fence);
    expect(await backend.verbs.release(key, { owner: "me" })).toMatchObject({
      outcome: "released",
      count: 0,
    });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
    backend.close();
  });
});
