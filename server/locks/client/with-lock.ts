import type { Hold } from "./hold.ts";
import type { WithLockOptions } from "./hold-options.ts";
import type { LockClient } from "./lock-client.ts";

/**
 * Acquires a lock, runs the work, and releases the lock. Same as `client.withLock`.
 *
 * @throws like `LockClient.withLock`
 */
export function withLock<Result>(
  client: LockClient,
  key: string,
  options: WithLockOptions,
  work: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  return client.withLock(key, options, work);
}
