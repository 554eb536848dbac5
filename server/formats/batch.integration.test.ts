import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { classifyFailure, readErrorCode } from "../redis/failure.ts";
import { buildCompanionKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";
import type { AcquireReply, ReleaseReply } from "./script-replies.ts";
import { preferBatches } from "./verb-batches.ts";

/** Opens a connection that batches even few verbs. */
function openBatching(redis: TestRedis): Redis {
  const connection = redis.createClient();
  preferBatches(connection);
  return connection;
}

const it = redisTest().extend("direct", { scope: "file" }, ({ redis }) => openBatching(redis));
const CLIENT = "0f8fad5b-d9cb-469f-a165-70867728950e";
const BATCH_SIZE = 31;
type BatchedFormat = "redisson" | "token";

const acquire = (redis: Redis, format: BatchedFormat, key: string, token: string, id = `acquire-${token}`) =>
  LOCK_WRITERS[format].acquire(redis, "events", key, {
    ...{ token, owner: "worker", leaseMs: 30_000, record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
    ...{ id, digest: "-", principal: undefined },
  });

const release = (redis: Redis, format: BatchedFormat, key: string, token: string, fence: string) =>
  LOCK_WRITERS[format].release(redis, "events", key, {
    ...{ token, fence, id: `release-${token}`, digest: "-", principal: undefined },
  });

/** Counts the scripts that Redis runs during `work`. */
async function countScripts(redis: Redis, work: () => Promise<unknown>): Promise<number> {
  await redis.config("RESETSTAT");
  await work();
  const calls = [...(await redis.info("commandstats")).matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

const createKeys = (count: number) => Array.from({ length: count }, () => `lock:${randomUUID()}`);
const createToken = (index: number) => `${CLIENT}:${index + 1}`;

function getFence(reply: AcquireReply | undefined): string {
  if (reply?.outcome !== "granted") throw new Error(`not granted: ${reply?.outcome}`);
  return reply.fence;
}

const step = fc.record({
  verb: fc.constantFrom("acquire", "release", "release_unfenced"),
  key: fc.integer({ min: 0, max: 2 }),
  token: fc.integer({ min: 0, max: 3 }),
  /** Verbs with the same number have the same request id, so the second verb repeats the first. */
  request: fc.integer({ min: 0, max: 6 }),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function runStep(redis: Redis, format: BatchedFormat, keys: readonly string[], each: Step) {
  const key = keys[each.key] ?? "";
  const token = createToken(each.token);
  const id = `${each.verb}-${each.request}`;
  if (each.verb === "acquire") return acquire(redis, format, key, token, id);
  return LOCK_WRITERS[format].release(redis, "events", key, {
    ...{ token, id, digest: "d", principal: undefined },
    fence: each.verb === "release" ? "1795216496123456" : undefined,
  });
}

const withoutTimes = (value: unknown) =>
  JSON.stringify(value)
    .replace(/lock:[0-9a-f-]{36}/g, "key")
    .replace(/\d{16}/g, "fence")
    .replace(/\d{13}/g, "time")
    .replace(/"remainingMs":\d+/g, '"remainingMs":"left"');

async function readStored(redis: Redis, format: BatchedFormat, keys: readonly string[]) {
  const read = (key: string) => (format === "redisson" ? redis.hgetall(key) : redis.get(key));
  return await Promise.all(
    keys.map(async (key) => [
      await read(key),
      Math.sign(await redis.pttl(key)),
      await redis.get(String(buildCompanionKey(key))),
    ]),
  );
}

describe.each(["redisson", "token"] as const)("batches of %s", (format) => {
  it("verbs of one turn run as few scripts, and a lone verb runs its own script", async ({ direct }) => {
    const keys = createKeys(64);
    await acquire(direct, format, createKeys(1)[0] ?? "", createToken(99));
    let replies: AcquireReply[] = [];
    const scripts = await countScripts(direct, async () => {
      replies = await Promise.all(keys.map((key, index) => acquire(direct, format, key, createToken(index))));
    });
    expect(replies.map((reply) => reply.outcome)).toEqual(keys.map(() => "granted"));
    expect(replies.map((reply) => reply.outcome === "granted" && reply.token)).toEqual(
      keys.map((_, index) => createToken(index)),
    );
    // The first verb is sent alone and the other 63 in batches of 32. A script that is not cached is also counted as
    // EVAL.
    expect(scripts).toBeLessThanOrEqual(6);
  });

  it("at most half of the active verbs share a script, unless there are few", async ({ direct }) => {
    const acquireMany = (count: number) =>
      Promise.all(createKeys(count).map((key, index) => acquire(direct, format, key, createToken(index))));
    // Caches the scripts.
    await acquireMany(3);
    await acquire(direct, format, createKeys(1)[0] ?? "", createToken(0));
    // In each case, the first verb is sent alone.
    expect(await countScripts(direct, () => acquireMany(8))).toBe(2);
    await acquire(direct, format, createKeys(1)[0] ?? "", createToken(0));
    expect(await countScripts(direct, () => acquireMany(17))).toBe(3);
  });

  it("up to 8 active verbs run their own scripts, unless the connection prefers batches", async ({
    redis,
  }) => {
    const plain = redis.createClient();
    const acquireMany = (count: number) =>
      Promise.all(createKeys(count).map((key, index) => acquire(plain, format, key, createToken(index))));
    // Caches the scripts.
    await acquireMany(17);
    expect(await countScripts(plain, () => acquireMany(8))).toBe(8);
    // 8 are active when the other 9 are issued, so these share scripts of at most 9 verbs.
    expect(await countScripts(plain, () => acquireMany(17))).toBe(9);
    plain.disconnect();
  });

  it("batched verbs return and store the same as verbs that run one by one", async ({ direct }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 20 }), async (steps) => {
        const [together, apart] = [createKeys(3), createKeys(3)];
        const batched = await Promise.all(steps.map((each) => runStep(direct, format, together, each)));
        const single = [];
        for (const each of steps) single.push(await runStep(direct, format, apart, each));
        expect(batched.map(withoutTimes)).toEqual(single.map(withoutTimes));
        const [one, other] = [
          await readStored(direct, format, together),
          await readStored(direct, format, apart),
        ];
        expect(withoutTimes(one)).toBe(withoutTimes(other));
      }),
      { numRuns: 150 },
    );
  });

  it("fences rise strictly when a key is released and acquired again within one batch", async ({
    direct,
  }) => {
    const [key = ""] = createKeys(1);
    const fences: bigint[] = [];
    for (let round = 0; round < 5; round++) {
      const verbs: Promise<AcquireReply | ReleaseReply>[] = [];
      for (let index = 0; index < 8; index++) {
        const token = createToken(round * 8 + index);
        verbs.push(acquire(direct, format, key, token));
        verbs.push(
          LOCK_WRITERS[format].release(direct, "events", key, {
            ...{ token, fence: undefined, id: `release-${token}`, digest: "-", principal: undefined },
          }),
        );
      }
      for (const reply of await Promise.all(verbs))
        if (reply.outcome === "granted") fences.push(BigInt(reply.fence));
    }
    expect(fences).toHaveLength(40);
    expect(fences.every((fence, index) => index === 0 || fence > (fences[index - 1] ?? 0n))).toBe(true);
  });

  it("a verb that fails or is refused leaves the others of its batch as they are", async ({ direct }) => {
    const keys = createKeys(BATCH_SIZE);
    const [wrong = "", oversized = "", held = ""] = [keys[3], keys[9], keys[17]];
    await direct.lpush(wrong, "data");
    await direct.set(String(buildCompanionKey(oversized)), "x".repeat(100_000));
    await acquire(direct, format, held, createToken(500));
    const replies = await Promise.all(
      keys.map((key, index) => acquire(direct, format, key, createToken(index))),
    );
    for (const [index, reply] of replies.entries()) {
      const expected = { [wrong]: "not_a_lock", [held]: "held" }[keys[index] ?? ""] ?? "granted";
      expect(reply.outcome).toBe(expected);
      if (reply.outcome === "granted") expect(reply.token).toBe(createToken(index));
    }
    expect(await direct.type(wrong)).toBe("list");
    const freed = await Promise.all(
      keys.map((key, index) => {
        const reply = replies[index];
        const fence = reply?.outcome === "granted" ? getFence(reply) : "1795216496123456";
        return release(direct, format, key, createToken(index), fence);
      }),
    );
    for (const [index, reply] of freed.entries())
      expect(reply.outcome).toBe([wrong, held].includes(keys[index] ?? "") ? "not_held" : "released");
  });

  it("a key that the user may not access refuses its verb alone", async ({ direct, redis }) => {
    const keys = createKeys(8);
    const user = `batch-${randomUUID()}`;
    const patterns = [...keys.filter((_, index) => index !== 4), "warm"].map((key) => `~*${key}*`);
    await direct.call("ACL", "SETUSER", user, "on", ">secret", "+@all", "allchannels", ...patterns);
    const limited = openBatching(redis);
    try {
      await limited.auth(user, "secret");
      const replies = await Promise.allSettled(
        ["warm", ...keys].map((key, index) => acquire(limited, format, key, createToken(index))),
      );
      for (const [index, reply] of replies.slice(1).entries()) {
        if (index === 4)
          expect(reply).toMatchObject({ reason: { message: expect.stringMatching(/NOPERM/) } });
        else expect(reply).toMatchObject({ value: { outcome: "granted", token: createToken(index + 1) } });
      }
    } finally {
      limited.disconnect();
      await direct.call("ACL", "DELUSER", user);
    }
  });

  it("a full memory refuses each verb by itself, and leaves no lock without a TTL or companion", async ({
    redis,
  }) => {
    const direct = openBatching(redis);
    const [first = "", held = "", last = ""] = createKeys(3);
    const fence = getFence(await acquire(direct, format, held, createToken(1)));
    await direct.config("SET", "maxmemory", "1");
    try {
      const sent = [
        // The first verb is sent alone.
        acquire(direct, format, first, createToken(2)),
        acquire(direct, format, first, createToken(3)),
        release(direct, format, held, createToken(1), fence),
        acquire(direct, format, last, createToken(4)),
      ];
      const [alone, refused, freed, granted] = await Promise.allSettled(sent);
      for (const reply of [alone, refused]) {
        expect(reply).toMatchObject({ status: "rejected" });
        expect(readErrorCode(reply?.status === "rejected" ? reply.reason : undefined)).toBe("OOM");
      }
      expect(freed).toMatchObject({ value: { outcome: "released" } });
      expect(granted).toMatchObject({ value: { outcome: "granted" } });
    } finally {
      await direct.config("SET", "maxmemory", "0");
    }
    expect(await direct.exists(first, String(buildCompanionKey(first)), held)).toBe(0);
    for (const key of [last, String(buildCompanionKey(last))])
      expect(await direct.pttl(key)).toBeGreaterThan(0);
    direct.disconnect();
  });

  it("a server that has become a replica refuses all verbs of a batch with READONLY", async ({
    direct,
    redis,
  }) => {
    const client = openBatching(redis);
    await direct.replicaof("127.0.0.1", 1);
    try {
      const replies = await Promise.allSettled(
        createKeys(8).map((key, index) => acquire(client, format, key, createToken(index))),
      );
      for (const reply of replies)
        expect(readErrorCode(reply.status === "rejected" ? reply.reason : undefined)).toBe("READONLY");
    } finally {
      await direct.replicaof("NO", "ONE");
      client.disconnect();
    }
  });

  it("verbs that leave the fast path are sent in several batches, in order", async ({ direct }) => {
    const keys = createKeys(BATCH_SIZE);
    await Promise.all(keys.map((key, index) => acquire(direct, format, key, createToken(index))));
    let replies: AcquireReply[] = [];
    const scripts = await countScripts(direct, async () => {
      replies = await Promise.all(
        keys.map((key, index) => acquire(direct, format, key, createToken(100 + index))),
      );
    });
    for (const [index, reply] of replies.entries())
      expect(reply).toMatchObject({ outcome: "held", holders: [{ token: createToken(index) }] });
    expect(scripts).toBeGreaterThanOrEqual(3);
    expect(scripts).toBeLessThanOrEqual(6);
  });

  it("every verb of a batch whose connection is lost fails with an unknown outcome", async ({
    direct,
    redis,
  }) => {
    const keys = createKeys(BATCH_SIZE);
    const cut = openBatching(redis);
    await acquire(cut, format, keys[0] ?? "", createToken(0));
    const sent = keys.map((key, index) => acquire(cut, format, key, createToken(index)));
    const settled = Promise.allSettled(sent);
    await new Promise(setImmediate);
    cut.disconnect();
    for (const reply of await settled) {
      if (reply.status === "rejected") expect(classifyFailure(reply.reason)).toBe("unknown");
      else expect(reply.value.outcome).toBe("granted");
    }
    const again = await Promise.all(
      keys.map((key, index) => acquire(direct, format, key, createToken(index))),
    );
    expect(again.every(({ outcome }) => outcome === "granted")).toBe(true);
  });

  it("a batch runs after the server has forgotten its scripts", async ({ direct }) => {
    const keys = createKeys(BATCH_SIZE);
    await Promise.all(keys.map((key, index) => acquire(direct, format, key, createToken(index))));
    await direct.script("FLUSH");
    const again = createKeys(BATCH_SIZE);
    const replies = await Promise.all(
      again.map((key, index) => acquire(direct, format, key, createToken(index))),
    );
    expect(replies.every(({ outcome }) => outcome === "granted")).toBe(true);
  });
});
