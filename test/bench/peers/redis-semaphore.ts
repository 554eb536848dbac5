import { Mutex } from "redis-semaphore";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

/** Creates a contender. @param acquireTimeout when an acquire gives up, in ms; 10 s by default */
export function createRedisSemaphore(url: string, acquireTimeout?: number): Contender {
  const redis = openPlainConnection(url);
  const options = {
    lockTimeout: LEASE_MS,
    refreshInterval: 0,
    ...(acquireTimeout === undefined ? {} : { acquireTimeout }),
  };
  return {
    name: "redis-semaphore",
    settings: `a new Mutex a pair, lockTimeout ${LEASE_MS}, refreshInterval 0 (no timer); retries as by default (every 10 ms)${acquireTimeout === undefined ? "" : `, acquireTimeout ${acquireTimeout}`}`,
    async acquire(key) {
      const mutex = new Mutex(redis, key, options);
      await mutex.acquire();
      return () => mutex.release();
    },
    close: () => redis.disconnect(),
  };
}
