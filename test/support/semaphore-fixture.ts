import type { Redis } from "ioredis";
import { buildPermitsKey } from "../../server/formats/redisson/redisson-keys.ts";
import type { AcquireOptions, Grant, LockVerbs } from "../../server/locks/verbs/verbs.ts";
import { locksTest } from "./fixtures.ts";

export type TakePermits = (key: string, permits?: number, more?: Partial<AcquireOptions>) => Promise<Grant>;

/** Creates a function that acquires permits with these verbs. */
export const createTakePermits =
  (locks: Pick<LockVerbs, "acquire">): TakePermits =>
  async (key, permits = 1, more = {}) => {
    const options = { owner: "me", leaseMs: 20_000, kind: "semaphore", permits, ...more } as const;
    return (await locks.acquire(key, options)).grant;
  };

/** Reads the number of free permits and the permits of a semaphore from Redis. */
export async function readSemaphore(redis: Redis, key: string) {
  return { available: await redis.get(key), acquired: await redis.zcard(String(buildPermitsKey(key))) };
}

/** Tests of semaphores: `take` acquires permits as "me", `other` does so in another client, `readState` reads
 * Redis, and `redisMessages` lists the messages of a channel from then on. */
export function semaphoreTest() {
  return locksTest()
    .extend("take", { scope: "file" }, ({ locks }) => createTakePermits(locks))
    .extend("other", { scope: "file" }, async ({ env }) => createTakePermits((await env.openVerbs()).locks))
    .extend(
      "readState",
      { scope: "file" },
      ({ direct }) =>
        (key: string) =>
          readSemaphore(direct, key),
    )
    .extend("redisMessages", { scope: "file" }, ({ env }) => async (channel: string) => {
      const messages: string[] = [];
      const listener = env.redis.createClient();
      listener.on("message", (_, message) => messages.push(message));
      await listener.subscribe(channel);
      return messages;
    });
}
