import { describe, expect, onTestFinished } from "vitest";
import { Stats, TypicalTimes } from "../../lib/contract/stats.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { startTestServer, waitUntil } from "../../test/support/test-server.ts";

const it = serverTest({ redis: { args: ["--notify-keyspace-events", "Kghszxe$"] } }).extend(
  "fetchStats",
  { scope: "file" },
  ({ server }) =>
    async (query = ""): Promise<Stats> => {
      const { status, body } = await server.call(`/stats${query}`);
      expect(status).toBe(200);
      return Stats.parse(body);
    },
);

describe("GET /api/v1/stats", () => {
  it("statistics count holds, waits, refusals and leases that expired while the holder was still working", async ({
    server,
    fetchStats,
  }) => {
    const first = await server.acquire("lock:bill:1", { owner: "a" });
    expect((await server.callVerb("lock:bill:1", "acquire", { owner: "c" })).status).toBe(409);
    const waiting = server.acquire("lock:bill:1", { owner: "b", waitMs: 5000 });
    await waitUntil(async () => (await fetchStats()).totals.waiting === 1);
    await server.callHold(first, "release");
    await server.callHold(await waiting, "release");
    const short = await server.acquire("lock:bill:2", { owner: "a", leaseMs: 50 });
    await waitUntil(async () => (await fetchStats()).patterns.items[0]?.expired === 1);
    await server.callHold(short, "release");

    await waitUntil(async () => (await fetchStats()).patterns.items[0]?.heldMs?.samples === 3);
    const { totals, patterns, top } = await fetchStats("?filter=bill");
    expect(totals).toMatchObject({ held: 0, waiting: 0 });
    expect(patterns).toMatchObject({
      total: 1,
      items: [
        {
          ...{ pattern: "lock:bill:*", acquisitions: 3, waits: 1, refusals: 1 },
          ...{ expired: 1, expiredInUse: 1, waitedMs: { samples: 1 } },
        },
      ],
    });
    expect(top.contended.map(({ pattern }) => pattern)).toEqual(["lock:bill:*"]);
    const typical = TypicalTimes.parse((await server.call("/locks/lock%3Abill%3A9/typical")).body);
    expect(typical.heldMs?.samples).toBe(3);
  });

  it("statistics include foreign locks by format and liveness", async ({ direct, fetchStats }) => {
    await direct.set("lock:forever", "5f0c0c1e-0000-4000-8000-000000000001");
    await waitUntil(async () => (await fetchStats()).totals.needsAttention === 1);
    const { totals } = await fetchStats();
    expect(totals.byLiveness).toContainEqual({ liveness: "no_ttl", held: 1 });
    await direct.del("lock:forever");
    await waitUntil(async () => (await fetchStats()).totals.held === 0);
  });

  it("locks held for longer than typical are listed by filter and by sort order", async ({
    server,
    fetchStats,
  }) => {
    const keys = Array.from({ length: 30 }, (_, n) => `lock:quick:${n}`);
    await Promise.all(
      keys.map(async (key) => {
        await server.callHold(await server.acquire(key), "release");
      }),
    );
    await waitUntil(
      async () => ((await fetchStats("?filter=quick")).patterns.items[0]?.heldMs?.samples ?? 0) > 25,
    );
    const holds = [
      await server.acquire("lock:quick:31", { leaseMs: 600_000 }),
      await server.acquire("lock:rare:9", { leaseMs: 600_000 }),
    ];
    const found = async (query: string) => {
      const { body } = await server.call(`/locks?${query}`);
      return body.items.map(({ key }: { key: string }) => key);
    };
    const filter = encodeURIComponent("key:lock:*");
    await waitUntil(async () => (await found(`filter=${filter}`)).length === 2);
    await waitUntil(async () => (await found("filter=is:needs_attention"))[0] === "lock:quick:31", 10_000);
    expect(await found("filter=is:needs_attention")).toEqual(["lock:quick:31"]);
    expect(await found("filter=held%3Etypical")).toEqual(["lock:quick:31"]);
    expect((await found(`filter=${filter}&sort=-attention`))[0]).toBe("lock:quick:31");
    for (const hold of holds) await server.callHold(hold, "release");
  });

  it("statistics are restored from the history after a restart", async ({ server }) => {
    const next = await startTestServer({ environment: { REDIS_URL: server.redis.url } });
    onTestFinished(() => next.stop());
    const known = async () => TypicalTimes.parse((await next.call("/locks/lock%3Abill%3A9/typical")).body);
    await waitUntil(async () => (await known()).heldMs?.samples === 3);
    const { since, waitsSince, waitedMs } = await known();
    expect(since).toBeLessThan(waitsSince);
    expect(waitedMs).toBeNull();
  });

  it("an invalid range or an unknown target is rejected", async ({ server }) => {
    expect((await server.call("/stats?range=week")).body.code).toBe("invalid");
    expect((await server.call("/stats?target=nope")).body.code).toBe("not_found");
  });
});

it("locks beyond the index capacity are not counted, however often they are read", async () => {
  const small = await startTestServer({ environment: { LOCKKEEPER_LOCKS_MAX: "2" } });
  onTestFinished(() => small.stop());
  const direct = small.redis.createClient();
  for (const name of "abcde") await direct.set(`lock:${name}`, `token-${name}-0123456789`, "PX", 60_000);
  const health = () => small.runtime.targets.getTarget(undefined).watcher.health();
  await waitUntil(() => health().leftOut === 3);
  for (const name of "abcdeabcde") await small.call(`/locks/lock%3A${name}`);
  expect((await small.call("/stats")).body.totals.held).toBe(2);
});
