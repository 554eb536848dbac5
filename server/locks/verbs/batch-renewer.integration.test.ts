import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { startTestCluster } from "../../../test/support/cluster.ts";
import { locksTest } from "../../../test/support/fixtures.ts";
import { countScriptCalls } from "../../../test/support/test-locks.ts";
import { openBackend } from "../backends/open-backend.ts";
import type { Grant } from "./contract/grant.ts";
import type { LockVerbs, RenewalTarget } from "./contract/verbs.ts";

const PRINCIPAL = "key-1";

const it = locksTest().extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
  const cluster = await startTestCluster();
  onCleanup(() => cluster.stop());
  return cluster;
});

async function acquireMany(verbs: LockVerbs, count: number, prefix = "lock:"): Promise<RenewalTarget[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const ask = { owner: "worker", leaseMs: 30_000, principal: PRINCIPAL };
      const { grant } = await verbs.acquire(`${prefix}${randomUUID()}`, ask);
      return { ...grant, principal: PRINCIPAL, leaseMs: 60_000 };
    }),
  );
}

const countRenewed = (settled: readonly PromiseSettledResult<Grant>[]) =>
  settled.filter(({ status }) => status === "fulfilled").length;

const describeReason = (result: PromiseSettledResult<Grant> | undefined) =>
  result?.status === "rejected" ? (result.reason as { code?: string }).code : result?.status;

async function countScripts(redis: Redis, work: () => Promise<unknown>): Promise<number> {
  const before = await countScriptCalls(redis);
  await work();
  return (await countScriptCalls(redis)) - before;
}

describe("one server", () => {
  it("1,000 holds are renewed with ten scripts, each result in the place of its hold", async ({
    locks,
    direct,
  }) => {
    const holds = await acquireMany(locks, 1000);
    await locks.renewHolds(holds.slice(0, 1));
    let settled: PromiseSettledResult<Grant>[] = [];
    const scripts = await countScripts(direct, async () => {
      settled = await locks.renewHolds(holds);
    });
    expect(scripts).toBe(10);
    const keys = settled.map((each) => (each.status === "fulfilled" ? each.value.key : undefined));
    expect(keys).toEqual(holds.map(({ key }) => key));
    expect(await direct.pttl(String(holds[999]?.key))).toBeGreaterThan(55_000);
  });

  it("holds of several formats and principals need a script for each", async ({ locks, direct }) => {
    const mine = await acquireMany(locks, 3);
    const { grant } = await locks.acquire(`lock:${randomUUID()}`, {
      ...{ owner: "me", leaseMs: 30_000, format: "token", principal: PRINCIPAL },
    });
    const library = await locks.acquire(`lock:${randomUUID()}`, { owner: "me", leaseMs: 30_000 });
    const holds = [...mine, { ...grant, principal: PRINCIPAL }, library.grant];
    await locks.renewHolds(holds);
    const scripts = await countScripts(direct, async () => {
      expect(countRenewed(await locks.renewHolds(holds))).toBe(5);
    });
    expect(scripts).toBe(3);
  });

  it("a hold that the rules refuse does not affect the others", async ({ env }) => {
    const verbs = env.locks;
    const [first, second, third] = await acquireMany(verbs, 3);
    if (first === undefined || second === undefined || third === undefined) throw new Error("too few");
    const settled = await verbs.renewHolds([
      { ...first, leaseMs: 1 },
      { ...second, key: "lockkeeper:own" },
      { ...second, principal: "x".repeat(10_000) },
      third,
    ]);
    expect(settled.map(describeReason)).toEqual(["invalid", "key_not_allowed", "invalid", "fulfilled"]);
  });
});

describe("a server that refuses", () => {
  it("a key that the Redis user may not access does not affect the others", async ({
    env: { redis },
    direct,
  }) => {
    const backend = await openBackend(redis.url, ["*"]);
    const holds = await acquireMany(backend.verbs, 5, "lock:open:");
    const [closed] = await acquireMany(backend.verbs, 1, "lock:closed:");
    if (closed === undefined) throw new Error("not acquired");
    await direct.call(
      ...(["ACL", "SETUSER", "some", "on", ">some", "+@all", "&*", "~lock:open:*"] as const),
      "~lockkeeper:*lock:open:*",
    );
    const address = new URL(redis.url);
    address.username = address.password = "some";
    const limited = await openBackend(address.href, ["*"]);
    const settled = await limited.verbs.renewHolds([...holds.slice(0, 2), closed, ...holds.slice(2)]);
    expect(settled.map(describeReason)).toEqual([
      "fulfilled",
      "fulfilled",
      "unavailable",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
    backend.close();
    limited.close();
  });

  it("a server that does not reply makes every hold unavailable or unknown", async ({
    env: { redis },
    direct,
  }) => {
    const backend = await openBackend(redis.url, ["*"]);
    const holds = await acquireMany(backend.verbs, 150);
    await direct.client("PAUSE", 3000, "ALL");
    const settled = await backend.verbs.renewHolds(holds);
    expect(new Set(settled.map(describeReason))).toEqual(new Set(["unknown_outcome"]));
    backend.close();
  });
});

describe("a cluster", () => {
  it("holds of all slots are renewed, those of one slot with one script", async ({ cluster }) => {
    const backend = await openBackend({ cluster: cluster.urls }, ["*"]);
    const spread = await acquireMany(backend.verbs, 50);
    expect(countRenewed(await backend.verbs.renewHolds(spread))).toBe(50);
    const near = await acquireMany(backend.verbs, 100, "lock:{near}:");
    await backend.verbs.renewHolds(near);
    const master = cluster.getMasterClient("{near}");
    const scripts = await countScripts(master, async () => {
      expect(countRenewed(await backend.verbs.renewHolds(near))).toBe(100);
    });
    expect(scripts).toBe(1);
    backend.close();
  });
});
