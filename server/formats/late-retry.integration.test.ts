import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

let redis: TestRedis;
let direct: Redis;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
});
afterAll(() => redis.stop());

const CHANNEL = "lockkeeper:events:0";
const NAMES: readonly WritableFormat[] = ["redisson", "token", "timestamp"];
/** More than the window of a lock takes, and fewer than two of them. */
const OTHERS = 20;

const acquire = (name: WritableFormat, key: string, owner: string) =>
  LOCK_WRITERS[name].acquire(direct, CHANNEL, key, {
    ...{ id: randomUUID(), digest: "-", owner, leaseMs: 30_000, reentrant: true },
    ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
  });
const release = (name: WritableFormat, key: string, owner: string, id = randomUUID(), retryMs?: number) =>
  LOCK_WRITERS[name].release(direct, CHANNEL, key, { id, digest: "-", owner, retryMs });

it.each(NAMES)(
  "a retry of a release outside the request window returns unknown instead of not_held (%s)",
  async (name) => {
    const key = `lock:${randomUUID()}`;
    const id = randomUUID();
    await acquire(name, key, "me");
    expect(await release(name, key, "me", id)).toMatchObject({ outcome: "released" });
    for (let n = 0; n < OTHERS; n++) {
      await acquire(name, key, `other ${n}`);
      await release(name, key, `other ${n}`);
    }
    await acquire(name, key, "next");
    // Its answer was lost; it says that it was sent a millisecond ago, as it was when it set out.
    expect(await release(name, key, "me", id, 1)).toEqual({ outcome: "unknown" });
    expect(await release(name, key, "next")).toMatchObject({ outcome: "released" });
  },
);
