import { Mutex } from "redis-semaphore";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

export function createRedisSemaphore(url: string): Contender {
  const redis = openPlainConnection(url);
  return {
    name: "redis-semaphore",
    settings: `a new Mutex a pair, lockTimeout ${LEASE_MS}, refreshInterval 0 (no timer); retries as by default (every 10 ms)`,
    async acquire(key) {
      const mutex = new Mutex(redis, key, { lockTimeout: LEASE_MS, refreshInterval: 0 });
      await mutex.acquire();
      return () => mutex.release();
    },
    close: () => redis.disconnect(),
  };
}
