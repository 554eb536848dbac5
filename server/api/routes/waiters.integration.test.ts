import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { LockWaiters, WAITERS_LISTED_MAX } from "../../../lib/contract/waiters.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { RedissonFixture } from "../../../test/support/redisson-fixture.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const RUNBOOKS = "lock:book:*=https://wiki.example/locks?key={key},*=https://wiki.example/";

const it = serverTest({ environment: { LOCKKEEPER_RUNBOOKS: RUNBOOKS } }).extend(
  "readWaiters",
  { scope: "file" },
  ({ server }) =>
    async (of: string) => {
      const { status, body } = await server.call(`/locks/${encodeURIComponent(of)}/waiters`);
      expect(status).toBe(200);
      return LockWaiters.parse(body);
    },
);

describe("GET /locks/{key}/waiters", () => {
  it("waiters of Lockkeeper clients are listed in service order, with start and deadline", async ({
    server,
    readWaiters,
  }) => {
    const lock = createTestKey("lock:ours");
    const hold = await server.acquire(lock, { owner: "ada", leaseMs: 60_000 });
    expect(await readWaiters(lock)).toMatchObject({ named: 0, items: [], order: "unknown" });
    const stop = new AbortController();
    const waits: Promise<unknown>[] = [];
    for (const [at2, owner] of ["bob", "cy", "dan"].entries()) {
      const body = { owner, leaseMs: 60_000, waitMs: 20_000 + at2 };
      waits.push(server.call(`/locks/${lock}/acquire`, { body, signal: stop.signal }).catch(() => undefined));
      await waitUntil(async () => (await readWaiters(lock)).named === at2 + 1);
    }
    const seen = await readWaiters(lock);
    expect([seen.order, seen.waiters.count]).toEqual(["first_come", 3]);
    expect(seen.items.map(({ owner, by, place }) => [owner, by, place])).toEqual([
      ["bob", "lockkeeper", 1],
      ["cy", "lockkeeper", 2],
      ["dan", "lockkeeper", 3],
    ]);
    for (const { since, until: end } of seen.items) {
      expect(Math.abs(seen.asOf - (since ?? 0))).toBeLessThan(10_000);
      expect((end ?? 0) - seen.asOf).toBeGreaterThan(5000);
    }
    // After the release, the first reported waiter acquires the lock.
    await server.callHold(hold, "release");
    await waitUntil(async () => (await readWaiters(lock)).named === 2);
    expect((await server.readLock(lock)).holders[0].owner).toBe("bob");
    expect((await readWaiters(lock)).items[0]).toMatchObject({ owner: "cy", place: 1 });
    // If another process also waits, it is not known which process comes first.
    const other = server.redis.createClient();
    await other.subscribe(`redisson_lock__channel:{${lock}}`);
    const two = await readWaiters(lock);
    expect([two.order, ...two.items.map(({ place }) => place)]).toEqual(["by_process", null, null]);
    other.disconnect();
    stop.abort();
    await Promise.all(waits);
  });

  it("waiters of Redisson's fair lock are listed without abandoned ones, also on a free lock", async ({
    direct,
    readWaiters,
  }) => {
    const [app, other] = [new RedissonFixture(direct), new RedissonFixture(direct)];
    const lock = createTestKey("lock:fair");
    await app.acquireFair(lock);
    for (const thread of [1, 2, 3]) await other.acquireFair(lock, { thread });
    await direct.zadd(app.getTimeoutKey(lock), 1000, other.getOwner(1));
    const seen = await readWaiters(lock);
    expect(seen).toMatchObject({ order: "queue", named: 2, waiters: { count: 2, known: "exact" } });
    expect(seen.items).toMatchObject([
      { owner: other.getOwner(2), by: "library", place: 1, since: null },
      { owner: other.getOwner(3), by: "library", place: 2, since: null },
    ]);
    expect(seen.items[0]?.until).toBeGreaterThan(seen.asOf);
    await direct.del(lock);
    expect((await readWaiters(lock)).items.map(({ owner }) => owner)).toEqual([
      other.getOwner(2),
      other.getOwner(3),
    ]);
  });

  it("waiters stored by other libraries are listed: queued jobs and a writer blocked by readers", async ({
    server,
    readWaiters,
  }) => {
    const digest = `uniquejobs:${randomUUID().replaceAll("-", "")}`;
    const job = () => randomUUID().replaceAll("-", "").slice(0, 24);
    const [holder, first, second] = [job(), job(), job()];
    await server.redis.runCli("HSET", `${digest}:LOCKED`, holder, `${Date.now() / 1000}`);
    await server.redis.runCli("RPUSH", `${digest}:QUEUED`, first, second, "1");
    await server.redis.runCli("RPUSH", `${digest}:PRIMED`, holder);
    const jobs = await readWaiters(`${digest}:LOCKED`);
    expect(jobs.order).toBe("unknown");
    expect(jobs.items.map(({ owner, place }) => [owner, place])).toEqual([
      [first, null],
      [second, null],
    ]);
    const name = `mutex:${randomUUID()}`;
    const owner = (pod: string) => `${pod}_311_${randomUUID().replaceAll("-", "")}`;
    const writer = owner("pod-9");
    await server.redis.runCli("SADD", `${name}.readers`, owner("pod-7"));
    await server.redis.runCli("SET", `${name}.writer`, `${writer}_WRITERWAITING`);
    const readers = await readWaiters(`${name}.readers`);
    expect(readers.items).toMatchObject([{ owner: writer, by: "library", place: 1 }]);
  });

  it("the waiter list is limited, drops malformed entries and returns nothing of other keys", async ({
    server,
    readWaiters,
  }) => {
    const [lock, secret] = [createTestKey("lock:many"), createTestKey("lock:secret")];
    await server.callVerb(lock, "acquire", { owner: "ada", leaseMs: 60_000 });
    const end = `${Date.now() + 60_000}`;
    const members = Array.from({ length: WAITERS_LISTED_MAX + 7 }, (_, at) => [
      ...[end, `r${at}\t${1000 + at}\tworker-${at}`],
    ]);
    await server.redis.runCli(
      "ZADD",
      `lockkeeper:waiters:{${lock}}`,
      ...members.flat(),
      end,
      "no waiter",
      "1",
      "r\t1\told",
    );
    const seen = await readWaiters(lock);
    expect([seen.named, seen.items.length]).toEqual([WAITERS_LISTED_MAX + 7, WAITERS_LISTED_MAX]);
    expect(seen.items[0]?.owner).toBe("worker-0");
    // The id of a waiter is secret, because a client that knows the id could take the waiter's place in the queue.
    expect(JSON.stringify(seen)).not.toContain("r0");
    await server.redis.runCli("SET", secret, "x".repeat(3000));
    const refused = await server.call(`/locks/${secret}/waiters`);
    expect([refused.status, refused.body.code]).toEqual([409, "not_a_lock"]);
  });
});

it("every lock returns its runbook, held or free, alone and in the list", async ({ server }) => {
  const lock = createTestKey("lock:book");
  const book = `https://wiki.example/locks?key=${encodeURIComponent(lock)}`;
  expect(await server.readLock(lock)).toMatchObject({ state: "free", runbook: book });
  await server.callVerb(lock, "acquire", { owner: "ada", leaseMs: 60_000 });
  expect(await server.readLock(lock)).toMatchObject({ state: "held", runbook: book });
  const listed = (await server.call(`/locks?filter=${encodeURIComponent(lock)}`)).body.items;
  expect(listed).toMatchObject([{ key: lock, runbook: book }]);
});
