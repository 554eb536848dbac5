import type { Redis } from "ioredis";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import { RedisLocks } from "../../../server/locks/verbs/redis-locks.ts";
import { connect, parseRedisAddress, waitUntilReady } from "../../../server/redis/connect.ts";
import { type Contender, LEASE_MS } from "../contender.ts";

export interface Core {
  readonly locks: RedisLocks;
  readonly redis: Redis;
  close(): void;
}

/** Opens the lock core with its own connections, like the runtime of the server. */
export async function openCore(url: string): Promise<Core> {
  const address = parseRedisAddress(url);
  const redis = connect(address, "bench");
  const wake = connect(address, "bench-wake", { autoResubscribe: false });
  const signal = AbortSignal.timeout(5000);
  await Promise.all([redis, wake].map((connection) => waitUntilReady(connection, signal)));
  const close = () => {
    redis.disconnect();
    wake.disconnect();
  };
  return { locks: new RedisLocks(redis, wake, address.db, ["lock:*"]), redis, close };
}

/** Creates a contender that calls the lock core like the API does. A client waits only if `waitMs` is given. */
export async function openOurs(
  url: string,
  { owner = "checkout@pod-7:311", waitMs = 0, format = "redisson" as WritableFormat } = {},
): Promise<Contender> {
  const { locks, close } = await openCore(url);
  const options = { owner, leaseMs: LEASE_MS, waitMs, format };
  return {
    name: format === "redisson" ? "ours" : `ours-${format}`,
    settings: `Locks.acquire and release, owner label given, leaseMs ${LEASE_MS}`,
    async acquire(key) {
      const { grant } = await locks.acquire(key, options);
      return () => locks.release(grant);
    },
    close,
  };
}
