import { describe, expect, it } from "vitest";
import type { LockClient } from "../../server/locks/client/lock-client.ts";
import { createTestKey, getErrorCode, startTestLocks, type TestLocks } from "../support/test-locks.ts";
import { startTestProxy, type TestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

interface FailoverPair {
  readonly old: TestLocks;
  /** Its replica. */
  readonly next: TestLocks;
  readonly proxy: TestProxy;
  /** Follows the master, as through Sentinel. */
  readonly client: LockClient;
}

async function withReplica(run: (masters: FailoverPair) => Promise<void>): Promise<void> {
  const old = await startTestLocks({ args: ["--repl-diskless-sync-delay", "0"] });
  const next = await startTestLocks({ args: ["--replicaof", "127.0.0.1", String(old.redis.port)] });
  const proxy = await startTestProxy(old.redis.port);
  try {
    await waitUntil(async () => (await next.direct.info("replication")).includes("master_link_status:up"));
    await run({ old, next, proxy, client: await old.openClient({ port: proxy.port }) });
  } finally {
    await proxy.stop();
    next.redis.thaw();
    await next.stop();
    await old.stop();
  }
}

describe.concurrent("hazard 14: failover that loses recent writes", () => {
  it("a hold lost in a failover is reported to its holder and not recreated; the next fencing token is larger", async () => {
    await withReplica(async ({ old, next, proxy, client }) => {
      const [taken, left] = [createTestKey(), createTestKey()];
      await next.direct.replicaof("NO", "ONE");
      const first = await client.acquire(taken, { leaseMs: 900 });
      const second = await client.acquire(left, { leaseMs: 900 });
      const other = await next.acquire(taken, "other");
      proxy.targetPort = next.redis.port;
      await old.redis.kill();
      await waitUntil(() => first.signal.aborted && second.signal.aborted);
      // Told by the new master, well before the deadline.
      expect(first.signal.reason).toMatchObject({ code: "lost" });
      expect(String(first.signal.reason)).toContain("freed it");
      expect(Number(other.fence)).toBeGreaterThan(Number(first.fence));
      expect(await next.direct.hgetall(taken)).toEqual({ other: "1" });
      expect(await next.direct.exists(left)).toBe(0);
      expect(await first.release()).toMatchObject({ outcome: "not_held" });
      expect(await next.locks.verify(taken, { owner: "other" })).toMatchObject({ count: 1 });
    });
  });

  it("a replicated hold survives a failover under its fencing token", async () => {
    await withReplica(async ({ old, next, proxy, client }) => {
      const key = createTestKey();
      const hold = await client.acquire(key, { leaseMs: 5000 });
      await waitUntil(async () => (await next.direct.exists(key)) === 1);
      await next.direct.replicaof("NO", "ONE");
      proxy.targetPort = next.redis.port;
      await old.redis.kill();
      await waitUntil(async () => (await getErrorCode(hold.renew(6000))) === "ok");
      hold.assertHeld();
      const told = await next.locks.verify(key, { owner: hold.owner });
      expect(told).toMatchObject({ count: 1, fence: hold.fence });
      expect(told.remainingMs).toBeGreaterThan(5000);
    });
  });
});

describe.concurrent("hazard 15: isolated old master", () => {
  it("an isolated master stops accepting writes, and the hold ends at its local deadline", async () => {
    await withReplica(async ({ old, next, client }) => {
      const [name, lag] = ["min-replicas-to-write", "min-replicas-max-lag"];
      await old.direct.config("SET", name, "1", lag, "1");
      await waitUntil(async () =>
        (await old.direct.info("replication")).includes("min_slaves_good_slaves:1"),
      );
      const key = createTestKey();
      const told: string[] = [];
      const hold = await client.acquire(key, { leaseMs: 1200, onJeopardy: () => told.push("jeopardy") });
      hold.signal.addEventListener("abort", () => told.push("lost"));
      next.redis.freeze();
      await waitUntil(() => hold.signal.aborted, 10_000);
      expect(told).toEqual(["jeopardy", "lost"]);
      expect(String(hold.signal.reason)).toContain("its lease ended before it was renewed");
      next.redis.thaw();
      await next.direct.replicaof("NO", "ONE");
      const grant = await next.acquire(key, "other", { waitMs: 5000 });
      expect(Number(grant.fence)).toBeGreaterThan(Number(hold.fence));
    });
  });
});
