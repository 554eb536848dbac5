import type { Redis } from "ioredis";
import { KEYSPACE_EVENTS } from "../../server/redis/embedded/embedded-server.ts";
import { startTestRedis, type TestRedis } from "../support/test-redis.ts";
import type { Run } from "./figure.ts";

/** The notification flags that the embedded Redis uses. */
export const EMBEDDED_FLAGS = KEYSPACE_EVENTS;

/** A Redis server for an experiment, and a connection that inspects it. */
export interface BenchRedis {
  readonly url: string;
  readonly inspector: Redis;
}

/**
 * Starts a Redis server.
 *
 * @param flags value of notify-keyspace-events; empty to disable notifications
 */
export async function startRedis(run: Run, flags: string): Promise<BenchRedis> {
  const redis: TestRedis = await startTestRedis({ args: ["--notify-keyspace-events", flags] });
  run.defer(() => redis.stop());
  return { url: redis.url, inspector: redis.createClient() };
}
