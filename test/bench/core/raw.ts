import { createHash, randomBytes } from "node:crypto";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

const COMPARE_AND_DELETE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
const SHA = createHash("sha1").update(COMPARE_AND_DELETE).digest("hex");

/**
 * Opens the simplest safe lock: one holder, and only that holder can release. It has no fencing token, no re-entry and
 * no events.
 */
export async function openRaw(url: string): Promise<Contender> {
  const redis = openPlainConnection(url);
  await redis.script("LOAD", COMPARE_AND_DELETE);
  const process = randomBytes(12).toString("base64url");
  let tokens = 0;
  return {
    name: "raw",
    settings: `SET NX PX ${LEASE_MS}, then EVALSHA of a compare-and-delete; ioredis with its defaults`,
    async acquire(key) {
      const token = `${process}.${++tokens}`;
      if ((await redis.set(key, token, "PX", LEASE_MS, "NX")) === null) throw new Error(`${key} is held`);
      return async () => {
        if ((await redis.evalsha(SHA, 1, key, token)) !== 1) throw new Error(`${key} was lost`);
      };
    },
    close: () => redis.disconnect(),
  };
}
