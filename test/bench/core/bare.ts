import { createHash } from "node:crypto";
import { type Contender, LEASE_MS } from "../contender.ts";
import { openPlainConnection } from "../plain-connection.ts";

const GRANT = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])";
const SHA = createHash("sha1").update(GRANT).digest("hex");
const SETTINGS =
  "PUBLISH by the one, EVALSHA of SET NX PX by the other when the message arrives; nothing else";

/** Creates a holder that acquires nothing and publishes a message on release. */
export function createBareHolder(url: string): Contender {
  const redis = openPlainConnection(url);
  return {
    name: "bare",
    settings: SETTINGS,
    acquire: async (key) => () => redis.publish(getChannel(key), "0"),
    close: () => redis.disconnect(),
  };
}

/**
 * Opens a waiter that acquires a key when the message of the bare holder arrives. Together they are the minimum for a
 * hand-off by message.
 */
export async function openBareWaiter(url: string): Promise<Contender> {
  const redis = openPlainConnection(url);
  const subscriber = openPlainConnection(url);
  await redis.script("LOAD", GRANT);
  return {
    name: "bare",
    settings: SETTINGS,
    async acquire(key) {
      const message = new Promise((resolve) => subscriber.once("message", resolve));
      await subscriber.subscribe(getChannel(key));
      await message;
      if ((await redis.evalsha(SHA, 1, key, "waiter", LEASE_MS)) !== "OK") throw new Error(`${key} is held`);
      return () => redis.del(key);
    },
    close() {
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

const getChannel = (key: string) => `${key}:free`;
