import Redlock from "redlock";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

/**
 * Creates a contender that uses redlock.
 *
 * @param retries `endless` never gives up. `default` is the library's default of ten retries
 */
export function createRedlock(url: string, retries: "default" | "endless" = "default"): Contender {
  const redis = openPlainConnection(url);
  const locks = new Redlock([redis], retries === "endless" ? { retryCount: -1 } : {});
  locks.on("error", () => undefined);
  return {
    name: "redlock",
    settings: `acquire and release with duration ${LEASE_MS} on one Redis; retries ${retries === "endless" ? "without limit" : "10 times"}, 200 ms apart, jitter 100, as by default; acquire starts no extension`,
    async acquire(key) {
      const lock = await locks.acquire([key], LEASE_MS);
      return () => lock.release();
    },
    close: () => redis.disconnect(),
  };
}
