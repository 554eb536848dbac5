import { describe, expect } from "vitest";
import { startApiProcess } from "../../test/support/api-process.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { startTestHttpProxy } from "../../test/support/test-http-proxy.ts";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { LostError } from "./errors.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const it = serverTest()
  .extend("errors", (): Error[] => [])
  .extend("proxy", async ({ server }, { onCleanup }) => {
    const proxy = await startTestHttpProxy(server.url);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend(
    "client",
    ({ proxy, errors }) =>
      new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY, onError: (error) => errors.push(error) }),
  );

describe("Hold", () => {
  it("a hold outlives its lease while it is renewed", async ({ client, direct, key, errors }) => {
    const hold = await client.acquire(key, { leaseMs: 6000 });
    const startedAt = performance.now();
    await waitUntil(() => performance.now() > startedAt + 7000, 10_000);
    hold.assertHeld();
    expect(await direct.exists(key)).toBe(1);
    expect(await hold.release()).toEqual({ outcome: "released", count: 0 });
    expect(errors).toEqual([]);
  });

  it("a hold without renewal is lost at its deadline, which is not later than in Redis", async ({
    client,
    direct,
    key,
  }) => {
    const askedAt = performance.now();
    const hold = await client.acquire(key, { leaseMs: 200, renewal: "manual" });
    const tookMs = performance.now() - askedAt;
    await waitUntil(() => hold.signal.aborted);
    // The local deadline counts from the request, and the lease from its execution.
    await waitUntil(async () => (await direct.exists(key)) === 0, 100 + tookMs);
    expect(hold.state).toBe("lost");
    expect(hold.signal.reason).toBeInstanceOf(LostError);
    expect(hold.signal.reason).toMatchObject({ facts: { key, fence: hold.fence } });
    expect(() => hold.assertHeld()).toThrow(LostError);
    expect(await hold.release()).toMatchObject({ outcome: "not_held" });
    expect(hold.state).toBe("lost");
  });

  it("a force-release is noticed by verify, and by the next renewal", async ({ client, server, key }) => {
    for (const way of ["verify", "renewal"] as const) {
      const hold = await client.acquire(key, { leaseMs: way === "verify" ? 60_000 : 1500 });
      const { version } = await server.readLock(key);
      const body = { expectedVersion: version, reason: "test" };
      expect((await server.callVerb(key, "force-release", body)).body.outcome).toBe("released");
      const acquiredAt = performance.now();
      if (way === "verify") await expect(hold.verify()).rejects.toBeInstanceOf(LostError);
      else await waitUntil(() => hold.signal.aborted);
      expect(performance.now() - acquiredAt).toBeLessThan(1000);
      expect(hold.state).toBe("lost");
      expect(hold.signal.reason).toMatchObject({ code: "lost", facts: { fence: hold.fence } });
    }
  });

  it("a renewal that a proxy loses puts the hold in jeopardy and is repeated", async ({
    client,
    proxy,
    key,
    errors,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 1500 });
    proxy.mode = "refuse";
    await waitUntil(() => hold.state === "jeopardy");
    hold.assertHeld();
    proxy.mode = "cut";
    await waitUntil(() => proxy.requests.length >= 4);
    proxy.mode = "pass";
    await waitUntil(() => hold.state === "held");
    expect(hold.remainingMs()).toBeGreaterThan(1000);
    expect(proxy.requests.filter((request) => request.endsWith("/holds/renew")).length).toBeGreaterThan(3);
    expect(errors[0]).toMatchObject({ code: "unknown_outcome" });
    await hold.release();
  });

  it("a hold is lost at its deadline if no renewal succeeds", async ({ client, proxy, direct, key }) => {
    const hold = await client.acquire(key, { leaseMs: 600 });
    const deadline = performance.now() + hold.remainingMs();
    proxy.mode = "refuse";
    await waitUntil(() => hold.signal.aborted);
    expect(performance.now()).toBeGreaterThan(deadline - 5);
    proxy.mode = "pass";
    await waitUntil(async () => (await direct.exists(key)) === 0, 500);
    expect(await hold.release()).toMatchObject({ outcome: "not_held" });
  });

  it("a verb whose response is lost is carried out once", async ({ client, proxy, direct, key }) => {
    for (const mode of ["drop_replies", "cut"] as const) {
      proxy.mode = mode;
      const acquiring = client.acquire(key, { renewal: "manual" });
      await waitUntil(async () => (await direct.exists(key)) === 1);
      proxy.mode = "pass";
      const hold = await acquiring;
      proxy.mode = mode;
      const reentering = hold.reenter();
      await waitUntil(async () => Object.values(await direct.hgetall(key))[0] === "2");
      proxy.mode = "pass";
      const inner = await reentering;
      expect([inner.count, inner.holdId, inner.fence]).toEqual([2, hold.holdId, hold.fence]);
      proxy.mode = mode;
      const releasing = inner.release();
      await waitUntil(async () => Object.values(await direct.hgetall(key))[0] === "1");
      proxy.mode = "pass";
      expect(await releasing).toEqual({ outcome: "still_held", count: 1 });
      hold.assertHeld();
      expect(await hold.release()).toEqual({ outcome: "released", count: 0 });
      expect(await direct.exists(key)).toBe(0);
    }
  });

  it("a release that failed is repeated as the same one", { timeout: 30_000 }, async ({
    client,
    proxy,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { renewal: "manual" });
    const [middle, inner] = [await hold.reenter(), await hold.reenter()];
    proxy.mode = "drop_replies";
    await expect(inner.release()).rejects.toMatchObject({ code: "unknown_outcome" });
    expect(inner.state).toBe("releasing");
    proxy.mode = "pass";
    expect(await inner.release()).toEqual({ outcome: "still_held", count: 2 });
    expect(Object.values(await direct.hgetall(key))).toEqual(["2"]);
    await middle.release();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
  });

  it("a re-entry whose outcome stays unknown is released", { timeout: 30_000 }, async ({
    client,
    proxy,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 1000, renewal: "manual" });
    proxy.mode = "drop_replies";
    await expect(hold.reenter({ leaseMs: 20_000 })).rejects.toMatchObject({ code: "unknown_outcome" });
    proxy.mode = "pass";
    await hold.release();
    await waitUntil(async () => (await direct.exists(key)) === 0);
  });

  it("counts of a hold share its deadline and loss, and are released separately", async ({
    client,
    direct,
    key,
  }) => {
    const outer = await client.acquire(key, { leaseMs: 600 });
    const inner = await outer.reenter({ leaseMs: 5000 });
    expect(outer.remainingMs()).toBeGreaterThan(4000);
    await outer.release();
    expect(outer.state).toBe("released");
    expect(inner.state).toBe("held");
    await inner.renew({ leaseMs: 9000 });
    expect(inner.leaseMs).toBe(9000);
    await direct.del(key);
    await expect(inner.reenter()).rejects.toBeInstanceOf(LostError);
    expect([inner.signal.aborted, outer.signal.aborted]).toEqual([true, true]);
    expect(outer.state).toBe("released");
  });

  it("release waits for the renewal in flight, and sends nothing afterwards", async ({ server, key }) => {
    const sent: string[] = [];
    let finishRenewal: () => void = () => undefined;
    const renewed = new Promise<void>((resolve) => {
      finishRenewal = resolve;
    });
    const client = new LockkeeperClient({
      url: server.url,
      apiKey: ROOT_KEY,
      fetch: async (input, init) => {
        const verb = String(input).split("/").at(-1) ?? "";
        sent.push(verb);
        if (verb === "renew") await renewed;
        return await fetch(input, init);
      },
    });
    const hold = await client.acquire(key, { leaseMs: 3000 });
    await waitUntil(() => sent.includes("renew"));
    const releasing = hold.release();
    expect(hold.state).toBe("releasing");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent).toEqual(["acquire", "renew"]);
    finishRenewal();
    expect(await releasing).toMatchObject({ outcome: "released" });
    expect(sent).toEqual(["acquire", "renew", "release"]);
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    expect(sent).toHaveLength(3);
  });

  it("a hold is released by `await using`", async ({ client, direct, key }) => {
    {
      await using hold = await client.acquire(key);
      hold.assertHeld();
    }
    expect(await direct.exists(key)).toBe(0);
  });

  it("holds and waits survive a restart of the server", { timeout: 60_000 }, async ({ key }) => {
    const redis = await startTestRedis();
    const environment = {
      REDIS_URL: redis.url,
      LOCKKEEPER_ROOT_KEY: ROOT_KEY,
      LOCKKEEPER_LOG: "error",
      LOCKKEEPER_DRAIN_MS: "0",
    };
    const first = await startApiProcess(environment);
    const { port } = new URL(first.url);
    const client = new LockkeeperClient({ url: first.url, apiKey: ROOT_KEY });
    const hold = await client.acquire(key, { leaseMs: 20_000, owner: "holder" });
    const waiting = client.acquire(key, { waitMs: 40_000 });
    await first.stop();
    const second = await startApiProcess({ ...environment, PORT: port });
    await hold.renew();
    expect(hold.state).toBe("held");
    await hold.release();
    const next = await waiting;
    expect(BigInt(next.fence)).toBeGreaterThan(BigInt(hold.fence));
    await next.release();
    await second.stop();
    await redis.stop();
  });
});
