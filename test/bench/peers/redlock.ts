import Redlock from "redlock";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

export function createRedlock(url: string): Contender {
  const redis = openPlainConnection(url);
  const locks = new Redlock([redis]);
  locks.on("error", () => undefined);
  return {
    name: "redlock",
    settings: `acquire and release with duration ${LEASE_MS} on one Redis; retries as by default (10, 200 ms, jitter 100); acquire starts no extension`,
    async acquire(key) {
      const lock = await locks.acquire([key], LEASE_MS);
      return () => lock.release();
    },
    close: () => redis.disconnect(),
  };
}
