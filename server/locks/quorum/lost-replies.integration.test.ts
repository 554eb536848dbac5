import { describe, expect } from "vitest";
import { mastersTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode } from "../../../test/support/test-locks.ts";
import { startTestProxy, type TestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { openBackend } from "../backends/open-backend.ts";

const LEASE_MS = 20_000;

const it = mastersTest(5)
  // Proxies that can drop the replies of the first three masters.
  .extend("proxies", { scope: "file" }, async ({ masters }, { onCleanup }) => {
    const ports = masters.all.slice(0, 3).map(({ port }) => port);
    const proxies = await Promise.all(ports.map((port) => startTestProxy(port)));
    onCleanup(async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    });
    return proxies;
  })
  .extend("verbs", { scope: "file" }, async ({ masters, proxies }, { onCleanup }) => {
    const urls = proxies.map(({ port }) => `redis://127.0.0.1:${port}`);
    const backend = await openBackend({ quorum: [...urls, ...masters.urls.slice(3)] }, ["*"]);
    onCleanup(() => backend.close());
    return backend.verbs;
  })
  .extend(
    "readCounts",
    { scope: "file" },
    ({ masters }) =>
      async (key: string) =>
        (await masters.readCompanions(key)).map((hold) => hold?.count ?? 0),
  )
  // Acquires a hold on all masters, which are then connected and have cached the scripts.
  .extend("acquireEverywhere", { scope: "file" }, ({ masters, verbs, readCounts }) => async (key: string) => {
    const acquire = async (name: string) =>
      (await verbs.acquire(name, { owner: "me", leaseMs: LEASE_MS })).grant;
    await waitUntil(async () => {
      const other = createTestKey();
      const hold = await acquire(other);
      for (const _ of [2, 3]) await verbs.reenter(hold);
      await verbs.release(hold, { requestId: "r1" });
      return (await readCounts(other)).every((count) => count === 2);
    });
    const hold = await acquire(key);
    await waitUntil(async () =>
      (await masters.readCompanions(key)).every((each) => each?.fence === hold.fence),
    );
    return hold;
  });

async function withoutReplies<Result>(
  proxies: readonly TestProxy[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (const proxy of proxies) proxy.mode = "drop_replies";
  try {
    return await work();
  } finally {
    for (const proxy of proxies) proxy.mode = "pass";
  }
}

describe("lost replies of a majority", () => {
  it("an acquire repeated with its id returns the token that the masters granted at first", async ({
    acquireEverywhere,
    masters,
    proxies,
    verbs,
    key,
  }) => {
    await acquireEverywhere(createTestKey());
    const ask = { owner: "me", leaseMs: LEASE_MS, requestId: "r1" };
    await withoutReplies(proxies, async () => {
      expect(await getErrorCode(verbs.acquire(key, ask))).toBe("unknown_outcome");
    });
    // A slow master may execute the request after the client has stopped waiting for the reply.
    await waitUntil(async () => !(await masters.readHolders(key, 0, 1, 2)).includes(null));
    const [token, ...others] = await masters.readHolders(key, 0, 1, 2);
    expect(others).toEqual([token, token]);
    const { grant } = await verbs.acquire(key, ask);
    expect(grant).toMatchObject({ token, count: 1 });
    expect((await verbs.acquire(key, ask)).grant).toMatchObject({ token, fence: grant.fence, count: 1 });
    expect(await verbs.release(grant)).toMatchObject({ outcome: "released" });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("an acquire without an id leaves no vote", async ({
    acquireEverywhere,
    masters,
    proxies,
    verbs,
    key,
  }) => {
    await acquireEverywhere(createTestKey());
    await withoutReplies(proxies, async () => {
      expect(await getErrorCode(verbs.acquire(key, { owner: "me", leaseMs: LEASE_MS }))).toBe("unavailable");
    });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a re-entry repeated with its id is counted once", async ({
    acquireEverywhere,
    proxies,
    readCounts,
    verbs,
    key,
  }) => {
    const grant = await acquireEverywhere(key);
    await withoutReplies(proxies, async () => {
      expect(await getErrorCode(verbs.reenter(grant, { requestId: "e1" }))).toBe("unknown_outcome");
    });
    expect(await verbs.reenter(grant, { requestId: "e1" })).toMatchObject({ count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
  });

  it("a re-entry without an id is given back", async ({
    acquireEverywhere,
    proxies,
    readCounts,
    verbs,
    key,
  }) => {
    const grant = await acquireEverywhere(key);
    await withoutReplies(proxies, async () => {
      expect(await getErrorCode(verbs.reenter(grant))).toBe("unavailable");
    });
    await waitUntil(async () => (await readCounts(key)).join() === "1,1,1,1,1");
    expect(await verbs.release(grant)).toMatchObject({ outcome: "released" });
  });

  it("a release repeated with its id gives back one count", async ({
    acquireEverywhere,
    proxies,
    readCounts,
    verbs,
    key,
  }) => {
    const grant = await acquireEverywhere(key);
    await verbs.reenter(grant);
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    await withoutReplies(proxies, async () => {
      expect(await getErrorCode(verbs.release(grant, { requestId: "r1" }))).toBe("unknown_outcome");
    });
    expect(await verbs.release(grant, { requestId: "r1" })).toMatchObject({
      outcome: "still_held",
      count: 1,
    });
    expect(await readCounts(key)).toEqual([1, 1, 1, 1, 1]);
  });
});
