import type { Redis } from "ioredis";
import type { TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

export interface BlockedWaiter {
  /** Number of attempts that found the lock held. */
  readonly tries: number;
  readonly hasLock: boolean;
}

/**
 * Starts a client that waits like python-redis-lock without a timeout and without an expiry: indefinitely. Resolves
 * when it is blocked.
 */
export async function startPythonWaiter(
  redis: TestRedis,
  direct: Redis,
  name: string,
): Promise<BlockedWaiter> {
  const client = redis.createClient();
  const waiter = { tries: 0, hasLock: false };
  const wait = async () => {
    while ((await client.set(`lock:${name}`, "Zx9/0ZkWcX1nP2sT8vB+yQe1", "NX")) !== "OK") {
      waiter.tries++;
      await client.blpop(`lock-signal:${name}`, 0);
    }
    waiter.hasLock = true;
  };
  const id = await client.client("ID");
  // The connection is closed at the end of the tests, whether it is blocked or not.
  wait().catch(() => undefined);
  await waitUntil(async () =>
    new RegExp(`^id=${id} .*cmd=blpop`, "m").test(String(await direct.client("LIST"))),
  );
  return waiter;
}

/** Lists the messages on the channels of a Spring registry, as `channel message`. */
export async function listenAsSpring(redis: TestRedis, registry: string): Promise<string[]> {
  const heard: string[] = [];
  const client = redis.createClient();
  client.on("pmessage", (_, channel, message) => heard.push(`${channel} ${message}`));
  await client.psubscribe(`${registry}-channel:*`);
  return heard;
}
