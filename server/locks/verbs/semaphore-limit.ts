import { PERMIT_LIMIT_MAX } from "../../../lib/contract/actions/verb.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { SEMAPHORE_WRITER } from "../../formats/redisson/semaphore-writer.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import type { SemaphorePermits } from "./contract/latch-verbs.ts";
import { createRefusalError } from "./error-factories.ts";
import { assertCount } from "./kinds.ts";

/**
 * Sets the total number of permits of a semaphore. Throws the errors of `LockVerbs.setLimit` except `key_not_allowed`.
 */
export async function setSemaphoreLimit(redis: Commands, key: Key, limit: number): Promise<SemaphorePermits> {
  assertCount("limit", limit, PERMIT_LIMIT_MAX);
  const reply = await attempt(redis, () => SEMAPHORE_WRITER.setLimit(redis, key, limit));
  if (reply.outcome === "not_a_lock") throw createRefusalError(key, "redisson", reply);
  const { available, acquired, previousLimit, asOf } = reply;
  return { key, limit, available, acquired, previousLimit, asOf };
}
