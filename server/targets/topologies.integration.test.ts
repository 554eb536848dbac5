import { describe, expect, it, onTestFinished } from "vitest";
import { startTestCluster } from "../../test/support/cluster.ts";
import { startTestSentinel } from "../../test/support/test-sentinel.ts";
import { startTestServer, waitUntil } from "../../test/support/test-server.ts";

const LINK = "{lockkeeper}:login:none";

describe("server on a Redis Cluster", () => {
  it("locks on every cluster master can be acquired, listed and released, and the home store follows a failover", async () => {
    const cluster = await startTestCluster({ replicas: 3 });
    onTestFinished(() => cluster.stop());
    const hosts = cluster.urls.map((url) => new URL(url).host).join(",");
    const server = await startTestServer({
      environment: { REDIS_URL: `redis-cluster://${hosts}`, LOCKKEEPER_LOG: "silent" },
    });
    onTestFinished(() => server.stop());
    const keys = [0, 1, 2].map((master) => cluster.findKeyOnMaster(master, "lock:at"));
    for (const key of keys) {
      const taken = await server.call(`/locks/${encodeURIComponent(key)}/acquire`, { body: { owner: "me" } });
      expect(taken.status).toBe(201);
    }
    await waitUntil(async () => (await server.call("/locks")).body.total === 3);
    const [{ body: lock }, { items }] = [
      await server.call(`/locks/${encodeURIComponent(keys[1] ?? "")}`),
      (await server.call("/targets")).body,
    ];
    expect(items[0]).toMatchObject({ topology: "cluster", state: "live" });
    expect(items[0].masters).toHaveLength(3);
    const freed = await server.call(`/locks/${encodeURIComponent(keys[1] ?? "")}/force-release`, {
      body: { expectedVersion: lock.version, reason: "stuck" },
    });
    expect(freed.body.outcome).toBe("released");
    expect((await server.call("/targets/default")).body.findings).not.toContainEqual(
      expect.objectContaining({ code: "rights" }),
    );

    expect(await server.runtime.createLoginLink()).toMatch(/./);
    await cluster.masters[cluster.getMasterIndex(LINK)]?.kill();
    await waitUntil(async () => {
      const link = await server.runtime.createLoginLink().catch(() => undefined);
      return link !== undefined;
    }, 10_000);
  });
});

describe("server behind Sentinel", () => {
  it("a server behind Sentinel continues with the promoted master and reports the group's findings", async () => {
    const group = await startTestSentinel();
    onTestFinished(() => group.stop());
    const { sentinel, master } = group.where;
    const hosts = sentinel.map((url) => new URL(url).host).join(",");
    const server = await startTestServer({
      environment: { REDIS_URL: `redis-sentinel://${hosts}/0?master=${master}`, LOCKKEEPER_LOG: "silent" },
    });
    onTestFinished(() => server.stop());
    const acquire = (key: string) => server.call(`/locks/${key}/acquire`, { body: { owner: "me" } });
    expect((await acquire("lock:before")).status).toBe(201);
    const { target, findings } = (await server.call("/targets/default")).body;
    expect(target).toMatchObject({ topology: "sentinel", state: "live" });
    expect(findings.map(({ code }: { code: string }) => code)).not.toContain("sentinel_unknown");
    await group.killMaster();
    await waitUntil(async () => (await acquire("lock:after")).status === 201, 12_000);
    await waitUntil(
      async () => (await server.runtime.createLoginLink().catch(() => undefined)) !== undefined,
      5000,
    );
  });
});
