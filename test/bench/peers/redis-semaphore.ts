import { Mutex } from "redis-semaphore";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

/**
 * Creates a contender that uses redis-semaphore.
 *
 * @param acquireTimeout maximum wait of an acquire in ms. The library's default is 10 s
 */
export function createRedisSemaphore(url: string, acquireTimeout?: number): Contender {
  const redis = openPlainConnection(url);
  const options = {
    lockTimeout: LEASE_MS,
    refreshInterval: 0,
    ...(acquireTimeout === undefined ? {} : { acquireTimeout }),
  };
  return {
    name: "redis-semaphore",
    settings: `a new Mutex for each pair, lockTimeout ${LEASE_MS}, refreshInterval 0 (no timer); retries as by default (every 10 ms)${acquireTimeout === undefined ? "" : `, acquireTimeout ${acquireTimeout}`}`,
    async acquire(key) {
      const mutex = new Mutex(redis, key, options);
      await mutex.acquire();
      return () => mutex.release();
    },
    close: () => redis.disconnect(),
  };
}
