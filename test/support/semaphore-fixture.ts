import type { SemaphoreKind } from "../../lib/contract/format.ts";
import type { Grant } from "../../server/locks/verbs/contract/grant.ts";
import type { AcquireOptions, LockVerbs } from "../../server/locks/verbs/contract/verbs.ts";
import { locksTest } from "./fixtures.ts";
import { readSemaphore } from "./read-semaphore.ts";

export type TakePermits = (key: string, permits?: number, more?: Partial<AcquireOptions>) => Promise<Grant>;

/** Creates a function that acquires permits with the given verbs. */
export const createTakePermits =
  (locks: Pick<LockVerbs, "acquire">, kind: SemaphoreKind = "semaphore"): TakePermits =>
  async (key, permits = 1, more = {}) => {
    const options = { owner: "me", leaseMs: 20_000, kind, permits, ...more } as const;
    return (await locks.acquire(key, options)).grant;
  };

/**
 * Returns a test function for semaphores. `take` acquires permits as "me", `other` does so in another client,
 * `readState` reads the semaphore in Redis, and `redisMessages` subscribes to a channel and returns its messages.
 */
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
