import type { Redis } from "ioredis";
import type { SemaphoreKind } from "../../lib/contract/format.ts";
import { buildPlainPermitsKey } from "../../server/formats/keys.ts";
import { buildPermitsKey } from "../../server/formats/redisson/redisson-keys.ts";
import type { AcquireOptions, Grant, LockVerbs } from "../../server/locks/verbs/verbs.ts";
import { locksTest } from "./fixtures.ts";

export type TakePermits = (key: string, permits?: number, more?: Partial<AcquireOptions>) => Promise<Grant>;

/** Creates a function that acquires permits with these verbs. */
export const createTakePermits =
  (locks: Pick<LockVerbs, "acquire">, kind: SemaphoreKind = "semaphore"): TakePermits =>
  async (key, permits = 1, more = {}) => {
    const options = { owner: "me", leaseMs: 20_000, kind, permits, ...more } as const;
    return (await locks.acquire(key, options)).grant;
  };

export const PERMITS_KEYS = { semaphore: buildPermitsKey, plain_semaphore: buildPlainPermitsKey } as const;

/** The number and the permits of a semaphore in Redis. Of a plain one, only the permits of our holds are stored. */
export async function readSemaphore(redis: Redis, key: string, kind: SemaphoreKind = "semaphore") {
  return { available: await redis.get(key), acquired: await redis.zcard(String(PERMITS_KEYS[kind](key))) };
}

/** Tests of semaphores: `take` acquires permits as "me", `other` does so in another client, `readState` reads
 * Redis, and `redisMessages` lists the messages of a channel from then on. */
export function semaphoreTest(kind: SemaphoreKind = "semaphore") {
  return locksTest()
    .extend("take", { scope: "file" }, ({ locks }) => createTakePermits(locks, kind))
    .extend("other", { scope: "file" }, async ({ env }) =>
      createTakePermits((await env.openVerbs()).locks, kind),
    )
    .extend(
      "readState",
      { scope: "file" },
      ({ direct }) =>
        (key: string) =>
          readSemaphore(direct, key, kind),
    )
    .extend("redisMessages", { scope: "file" }, ({ env }) => async (channel: string) => {
      const messages: string[] = [];
      const listener = env.redis.createClient();
      listener.on("message", (_, message) => messages.push(message));
      await listener.subscribe(channel);
      return messages;
    });
}
