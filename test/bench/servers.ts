import type { Redis } from "ioredis";
import { KEYSPACE_EVENTS } from "../../server/redis/embedded/embedded-server.ts";
import { startTestRedis, type TestRedis } from "../support/test-redis.ts";
import type { Run } from "./figure.ts";

/** What the embedded Redis sends. */
export const EMBEDDED_FLAGS = KEYSPACE_EVENTS;

/** A Redis of the experiment's own, and a connection to look at it. */
export interface BenchRedis {
  readonly url: string;
  readonly inspector: Redis;
}

/** @param flags for notify-keyspace-events; none: off */
export async function startRedis(run: Run, flags: string): Promise<BenchRedis> {
  const redis: TestRedis = await startTestRedis({ args: ["--notify-keyspace-events", flags] });
  run.defer(() => redis.stop());
  return { url: redis.url, inspector: redis.createClient() };
}
