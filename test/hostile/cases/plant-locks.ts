import type { CaseContext } from "../hostile-case.ts";

const LEASE_MS = 600_000;
const KEYS_PER_BATCH = 500;

/** Creates foreign locks and waits until Lockkeeper has indexed all of them. */
export async function plantLocks(
  { redis, addPlanted, waitForLocks }: CaseContext,
  keys: readonly string[],
): Promise<void> {
  for (let at = 0; at < keys.length; at += KEYS_PER_BATCH) {
    const pipeline = redis.pipeline();
    for (const [offset, key] of keys.slice(at, at + KEYS_PER_BATCH).entries())
      pipeline.set(key, `owner:${at + offset}`, "PX", LEASE_MS);
    await pipeline.exec();
  }
  await addPlanted(keys);
  await waitForLocks(keys.length);
}
