import type { CaseContext, HostileCase } from "../hostile-case.ts";
import { repeatUntil } from "./repeat.ts";

const CHANGES_PER_SECOND = 5;
const LEASE_MS = 600_000;
const STRING = "lock:large-string";
const SET = "lock:large-set";
const SORTED_SET = "lock:large-sorted-set";
/** Hash of a fair lock of Redisson. The queue of its waiters and their timeouts are separate keys. */
const FAIR_LOCK = "lock:large-queue";
const FAIR_QUEUE = `redisson_lock_queue:{${FAIR_LOCK}}`;
const FAIR_TIMEOUTS = `redisson_lock_timeout:{${FAIR_LOCK}}`;
const REDISSON_OWNER = "8743c9c0-0795-4907-87fd-6c719a6b4586:1";

/**
 * A string of `stringBytes` with a change at its beginning. Its last byte is written first, so that Redis allocates the
 * memory only once.
 */
export const LARGE_STRING: HostileCase = {
  name: "large-string",
  finding: "F1",
  async plant({ redis, sizes, addPlanted }) {
    await redis.setrange(STRING, sizes.stringBytes - 1, "x");
    await redis.pexpire(STRING, LEASE_MS);
    await addPlanted([STRING]);
  },
  attack: ({ redis, enough }) =>
    repeatUntil(enough, CHANGES_PER_SECOND, () => redis.setrange(STRING, 0, "changed")),
};

async function plantElements({ redis, sizes, addPlanted }: CaseContext): Promise<void> {
  const element = Buffer.alloc(sizes.elementBytes, "x");
  await redis.hset(FAIR_LOCK, REDISSON_OWNER, 1);
  for (let index = 0; index < sizes.elements; index++) {
    element.write(`${index}:`);
    await redis.sadd(SET, element);
    await redis.zadd(SORTED_SET, Date.now() + LEASE_MS, element);
    await redis.rpush(FAIR_QUEUE, element);
    await redis.zadd(FAIR_TIMEOUTS, Date.now() + LEASE_MS, element);
  }
  const keys = [SET, SORTED_SET, FAIR_LOCK, FAIR_QUEUE, FAIR_TIMEOUTS];
  for (const key of keys) await redis.pexpire(key, LEASE_MS);
  await addPlanted(keys);
}

export const LARGE_ELEMENTS: HostileCase = {
  name: "large-elements",
  finding: "F1",
  plant: plantElements,
  attack: ({ redis, enough }) =>
    repeatUntil(enough, CHANGES_PER_SECOND, async () => {
      for (const key of [SET, SORTED_SET, FAIR_LOCK]) await redis.pexpire(key, LEASE_MS);
    }),
};
