import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { Watcher } from "../../server/watch/watcher.ts";
import type { TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

const HELD_MAX = 50;

/**
 * Acquires and releases locks on a server until stopped or until the server fails.
 *
 * @param name returns the key of each new lock
 * @returns a function that stops the churn
 */
export function startChurn(
  at: TestRedis,
  name: () => string = () => `lock:${randomUUID()}`,
): () => Promise<void> {
  const redis = new Redis(at.url, { retryStrategy: null, maxRetriesPerRequest: 0 });
  redis.on("error", () => undefined);
  let isOver = false;
  const done = (async () => {
    const held: string[] = [];
    while (!isOver) {
      const key = name();
      held.push(key);
      await redis.hset(key, `${randomUUID()}:1`, 1);
      if (held.length > HELD_MAX) await redis.del(held.shift() ?? "");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })().catch(() => undefined);
  return async () => {
    isOver = true;
    await done;
    redis.disconnect();
  };
}

/**
 * Waits until the watcher's index equals the locks on the given servers.
 * @returns the elapsed time in milliseconds
 */
export async function waitForIndex(
  watcher: Watcher,
  servers: readonly TestRedis[],
  withinMs = 5000,
): Promise<number> {
  const since = performance.now();
  const clients = servers.map((server) => server.createClient());
  await waitUntil(async () => {
    const keys = (await Promise.all(clients.map((redis) => redis.keys("lock:*")))).flat().sort();
    const seen = [...watcher.index.keys()].sort();
    return keys.length === seen.length && keys.every((key, at) => key === seen[at]);
  }, withinMs);
  return performance.now() - since;
}
