import { describe, expect, test } from "vitest";
import {
  type ReplicatedRedis,
  type ReplicatedTopology,
  startReplicatedRedis,
} from "../../test/support/replicated-redis.ts";
import { getErrorCode } from "../../test/support/test-locks.ts";
import { startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { REPLICA_WAIT_KEY } from "../formats/keys.ts";
import { openBackend } from "./backends/open-backend.ts";
import { LockClient, type LockClientOptions } from "./client/lock-client.ts";

/** Time limit for starting the servers, in ms. On a busy machine, the start may take long. */
const START_MS = 60_000;
const REPLICAS = { replicas: 1, replicaTimeoutMs: 300 };
/** Options of calls that must succeed even on a busy machine. */
const PATIENT = { replicas: 1, replicaTimeoutMs: 5000 };
const ONCE = { renew: false, leaseMs: 60_000 } as const;
const CONCURRENT = 50;

async function countWaitCalls({ master }: ReplicatedRedis): Promise<number> {
  const stats = await master.runCli("INFO", "commandstats");
  return Number(/^cmdstat_wait:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
}

const createTest = (topology: ReplicatedTopology) =>
  test
    .extend("redis", { scope: "file" }, async ({}, { onCleanup }) => {
      const redis = await startReplicatedRedis(topology);
      onCleanup(() => redis.stop());
      return redis;
    })
    .extend("openClient", { scope: "file" }, async ({ redis }, { onCleanup }) => {
      const opened: LockClient[] = [];
      onCleanup(() => {
        for (const client of opened) client.close();
      });
      return async (options: LockClientOptions = {}) => {
        const client = await LockClient.open(redis.where, options);
        opened.push(client);
        return client;
      };
    });

const TOPOLOGIES = (["standalone", "sentinel", "cluster"] as const).map((topology) => ({
  topology,
  it: createTest(topology),
}));

describe.for(TOPOLOGIES)("replicas, $topology", ({ topology, it }) => {
  it.beforeAll(async ({ redis }) => {
    await redis.master.runCli("PING");
  }, START_MS);

  it("a grant that the replica confirms takes one request to acquire and one to confirm", async ({
    redis,
    openClient,
  }) => {
    const client = await openClient(PATIENT);
    await (await client.acquire(redis.createKey(), ONCE)).release();
    const count = () => ["verbs", "replicas"].map((name) => redis.proxy.countRequests(name));
    const before = count();
    const hold = await client.acquire(redis.createKey(), ONCE);
    expect(count().map((requests, at) => requests - (before[at] ?? 0))).toEqual([1, 1]);
    await hold.release();
  });

  it("concurrent grants share their confirmations", async ({ redis, openClient }) => {
    const client = await openClient(PATIENT);
    await (await client.acquire(redis.createKey(), ONCE)).release();
    const before = await countWaitCalls(redis);
    const keys = Array.from({ length: CONCURRENT }, () => redis.createKey());
    await Promise.all(keys.map((key) => client.acquire(key, ONCE)));
    expect((await countWaitCalls(redis)) - before).toBeLessThan(CONCURRENT / 4);
  });

  it("a grant and a renewal that a partitioned replica does not confirm are not_replicated, and the grant is withdrawn", async ({
    redis,
    openClient,
  }) => {
    const [client, plain] = [await openClient(REPLICAS), await openClient()];
    const hold = await (await openClient(PATIENT)).acquire(redis.createKey(), ONCE);
    const kept = await (await openClient(REPLICAS)).acquire(redis.createKey(), ONCE);
    redis.partitionReplica();
    try {
      for (let attempts = 0; attempts < 3; attempts++) {
        const key = redis.createKey();
        await expect(client.acquire(key, ONCE)).rejects.toMatchObject({
          code: "not_replicated",
          facts: { replicas: 1, confirmed: 0 },
        });
        const next = await plain.acquire(key, ONCE);
        await next.release();
      }
      expect(await getErrorCode(kept.renew())).toBe("not_replicated");
      kept.assertHeld();
    } finally {
      await redis.healReplica();
    }
    await waitUntil(async () => (await getErrorCode(kept.renew())) === "ok");
    await waitUntil(async () => (await getErrorCode(client.acquire(redis.createKey(), ONCE))) === "ok");
    await hold.release();
  });

  it("after a downgrade that no replica confirmed, a release releases the reader", async ({
    redis,
    openClient,
  }) => {
    const [client, plain] = [await openClient(REPLICAS), await openClient()];
    await waitUntil(async () => (await getErrorCode(client.acquire(redis.createKey(), ONCE))) === "ok");
    const key = redis.createKey();
    const writer = await client.acquire(key, { ...ONCE, kind: "write" });
    redis.partitionReplica();
    try {
      expect(await getErrorCode(writer.downgrade())).toBe("not_replicated");
      expect(await writer.release()).toMatchObject({ outcome: "released" });
      expect([writer.state, writer.loss]).toEqual(["released", undefined]);
      await (await plain.acquire(key, { ...ONCE, kind: "write" })).release();
    } finally {
      await redis.healReplica();
    }
  });

  it("a repeated request that writes nothing is confirmed like a grant", async ({ redis, openClient }) => {
    await openClient();
    const backend = await openBackend(redis.where, ["*"], REPLICAS);
    try {
      const key = redis.createKey();
      const ask = { owner: "me", leaseMs: 60_000, requestId: "r1" };
      await waitUntil(async () => (await getErrorCode(backend.verbs.acquire(key, ask))) === "ok");
      expect(await backend.verbs.acquire(key, ask)).toMatchObject({ isReplayed: true });
      redis.partitionReplica();
      expect(await getErrorCode(backend.verbs.acquire(key, ask))).toBe("not_replicated");
    } finally {
      backend.close();
      await redis.healReplica();
    }
  });

  it(
    "the API responds 503 not_replicated while the replica is partitioned, and 201 with a healthy one",
    async ({ redis }) => {
      const server = await startTestServer({
        file: (home) => ({ home, targets: [{ name: "locks", redis: redis.where, ...REPLICAS }] }),
      });
      const acquire = () => server.callVerb(redis.createKey(), "acquire", { owner: "me", leaseMs: 60_000 });
      try {
        await waitUntil(async () => (await acquire()).status === 201);
        const { findings } = (await server.call("/targets/locks")).body;
        expect(findings).not.toContainEqual(expect.objectContaining({ code: "rights" }));
        redis.partitionReplica();
        const { status, body } = await acquire();
        expect([status, body.code, body.replicas, body.confirmed]).toEqual([503, "not_replicated", 1, 0]);
      } finally {
        await redis.healReplica();
        await server.stop();
      }
    },
    START_MS,
  );

  it.runIf(topology === "standalone")(
    "a Redis user without WAIT gets not_replicated with the missing rights, and the health of the target names them",
    async ({ redis }) => {
      await redis.master.runCli("ACL", "SETUSER", "app", "on", ">pw", "~*", "&*", "+@all", "-wait");
      const where = String(redis.where).replace("redis://", "redis://app:pw@");
      const server = await startTestServer({
        file: (home) => ({ home, targets: [{ name: "locks", redis: where, ...PATIENT }] }),
      });
      try {
        const { status, body } = await server.callVerb(redis.createKey(), "acquire", { owner: "me" });
        expect([status, body.code, body.confirmed]).toEqual([503, "not_replicated", undefined]);
        expect(body.detail).toContain("NOPERM: the Redis user needs WAIT");
        const { findings } = (await server.call("/targets/locks")).body;
        expect(findings).toContainEqual(
          expect.objectContaining({ code: "rights", facts: expect.objectContaining({ commands: "WAIT" }) }),
        );
      } finally {
        await server.stop();
      }
    },
    START_MS,
  );

  it.runIf(topology === "cluster")(
    "grants are confirmed while the slot of the confirmation key moves to another master, and after it",
    async ({ redis, openClient }) => {
      const client = await openClient(PATIENT);
      const isAcquired = async () =>
        expect(await getErrorCode(client.acquire(redis.createKey(), ONCE))).toBe("ok");
      await isAcquired();
      const used = (await redis.master.runCli("KEYS", `${REPLICA_WAIT_KEY}:*`)).split("\n")[0] ?? "";
      await redis.moveSlot(used, [used], isAcquired);
      await isAcquired();
    },
  );

  it(
    "after a failover a lock whose grant was confirmed is held, and no client was granted a lock that was lost",
    async ({ redis, openClient }) => {
      const [client, plain] = [await openClient(REPLICAS), await openClient()];
      const [confirmedKey, lostKey] = [redis.createKey(), redis.createKey()];
      const confirmed = await (await openClient(PATIENT)).acquire(confirmedKey, ONCE);
      redis.partitionReplica();
      expect(await getErrorCode(client.acquire(lostKey, ONCE))).toBe("not_replicated");
      await redis.failOver();
      redis.proxy.stall(undefined);
      await waitUntil(async () => (await getErrorCode(plain.acquire(lostKey, ONCE))) === "ok", START_MS);
      expect(await getErrorCode(plain.acquire(confirmedKey, ONCE))).toBe("held");
      await waitUntil(async () => (await getErrorCode(confirmed.renew())) === "not_replicated", START_MS);
      confirmed.assertHeld();
    },
    2 * START_MS,
  );
});
