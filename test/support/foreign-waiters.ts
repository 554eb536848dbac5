import type { Redis } from "ioredis";
import type { TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

export interface BlockedWaiter {
  /** Number of attempts so far that found the lock held. */
  readonly tries: number;
  readonly hasLock: boolean;
}

/**
 * Starts a client that waits indefinitely, like python-redis-lock without a timeout and without an expiry. Resolves
 * when the client is blocked.
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
  // The blocked command fails when the connection is closed at the end of the tests.
  wait().catch(() => undefined);
  await waitUntil(async () =>
    new RegExp(`^id=${id} .*cmd=blpop`, "m").test(String(await direct.client("LIST"))),
  );
  return waiter;
}

/** Subscribes to the channels of a Spring registry. Returns a list that receives each message as `channel message`. */
export async function listenAsSpring(redis: TestRedis, registry: string): Promise<string[]> {
  const heard: string[] = [];
  const client = redis.createClient();
  client.on("pmessage", (_, channel, message) => heard.push(`${channel} ${message}`));
  await client.psubscribe(`${registry}-channel:*`);
  return heard;
}
