import { describe, expect, test } from "vitest";
import { createTestKey, getErrorCode, startTestLocks } from "../support/test-locks.ts";
import { startTestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

const it = test
  .extend("old", async ({}, { onCleanup }) => {
    const old = await startTestLocks({ args: ["--repl-diskless-sync-delay", "0"] });
    onCleanup(() => old.stop());
    return old;
  })
  // The replica of the old master.
  .extend("next", async ({ old }, { onCleanup }) => {
    const next = await startTestLocks({ args: ["--replicaof", "127.0.0.1", String(old.redis.port)] });
    onCleanup(async () => {
      next.redis.thaw();
      await next.stop();
    });
    await waitUntil(async () => (await next.direct.info("replication")).includes("master_link_status:up"));
    return next;
  })
  .extend("proxy", async ({ old }, { onCleanup }) => {
    const proxy = await startTestProxy(old.redis.port);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  // The client connects through the proxy, which is redirected to the new master like a client that uses Sentinel.
  .extend("client", ({ old, proxy }) => old.openClient({ port: proxy.port }))
  .extend("key", () => createTestKey());

describe.concurrent("hazard 14: failover that loses recent writes", () => {
  it("a hold lost in a failover is reported to its holder and not recreated; the next fencing token is larger", async ({
    next,
    client,
    proxy,
    old,
  }) => {
    const [taken, left] = [createTestKey(), createTestKey()];
    await next.direct.replicaof("NO", "ONE");
    const first = await client.acquire(taken, { leaseMs: 3000 });
    const second = await client.acquire(left, { leaseMs: 3000 });
    const other = await next.acquire(taken, "other");
    proxy.targetPort = next.redis.port;
    await old.redis.kill();
    await waitUntil(() => first.signal.aborted && second.signal.aborted);
    // The renewal on the new master reports the loss well before the deadline.
    expect(first.signal.reason).toMatchObject({ code: "lost" });
    expect(String(first.signal.reason)).toContain("it was released elsewhere, or its lease ended in Redis");
    expect(Number(other.fence)).toBeGreaterThan(Number(first.fence));
    expect(await next.direct.hgetall(taken)).toEqual({ [other.token]: "1" });
    expect(await next.direct.exists(left)).toBe(0);
    expect(await first.release()).toMatchObject({ outcome: "not_held" });
    expect(await next.locks.verify(other)).toMatchObject({ held: true, count: 1 });
  });

  it("a replicated hold survives a failover under its fencing token", async ({
    client,
    next,
    proxy,
    old,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 5000 });
    await waitUntil(async () => (await next.direct.exists(key)) === 1);
    await next.direct.replicaof("NO", "ONE");
    proxy.targetPort = next.redis.port;
    await old.redis.kill();
    await waitUntil(async () => (await getErrorCode(hold.renew(6000))) === "ok");
    hold.assertHeld();
    const status = await next.locks.verify(hold);
    expect(status).toMatchObject({ held: true, count: 1, fence: hold.fence });
    if (status.held) expect(status.remainingMs).toBeGreaterThan(5000);
  });
});

describe.concurrent("hazard 15: isolated old master", () => {
  it("an isolated master stops accepting writes, and the hold ends at its local deadline", async ({
    old,
    client,
    next,
    key,
  }) => {
    await old.direct.config("SET", "min-replicas-to-write", "1");
    await old.direct.config("SET", "min-replicas-max-lag", "1");
    await waitUntil(async () => (await old.direct.info("replication")).includes("min_slaves_good_slaves:1"));
    const notices: string[] = [];
    const hold = await client.acquire(key, { leaseMs: 1200, onJeopardy: () => notices.push("jeopardy") });
    hold.signal.addEventListener("abort", () => notices.push("lost"));
    next.redis.freeze();
    await waitUntil(() => hold.signal.aborted, 10_000);
    // A slow renewal can put the hold in jeopardy before the master refuses renewals.
    expect([...new Set(notices)]).toEqual(["jeopardy", "lost"]);
    expect(notices.filter((notice) => notice === "lost")).toHaveLength(1);
    expect(String(hold.signal.reason)).toContain("its lease ended before it was renewed");
    next.redis.thaw();
    await next.direct.replicaof("NO", "ONE");
    const grant = await next.acquire(key, "other", { waitMs: 5000 });
    expect(Number(grant.fence)).toBeGreaterThan(Number(hold.fence));
  });
});
