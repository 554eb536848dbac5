import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { LockkeeperError } from "../../server/errors/lockkeeper-error.ts";
import { type Companion, parseCompanion } from "../../server/formats/companion.ts";
import { buildCompanionKey, buildWaitersKey } from "../../server/formats/keys.ts";
import { LockClient, type LockClientOptions } from "../../server/locks/client/lock-client.ts";
import type { Grant } from "../../server/locks/verbs/contract/grant.ts";
import type { AcquireOptions } from "../../server/locks/verbs/contract/verbs.ts";
import { RedisLocks } from "../../server/locks/verbs/redis-locks.ts";
import { connect, parseRedisAddress, waitUntilReady } from "../../server/redis/connect.ts";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "./test-redis.ts";

export const WRITABLE_FORMATS: readonly WritableFormat[] = ["redisson", "token", "timestamp"];

/** The lock verbs with separate connections. */
export interface TestVerbs {
  readonly locks: RedisLocks;
  readonly connection: Redis;
  /** Acquires a lock for 30 s unless other options are given. */
  acquire(key: string, owner: string, more?: Partial<AcquireOptions>): Promise<Grant>;
  close(): void;
}

/** The lock verbs and the client library on a temporary Redis. */
export interface TestLocks extends TestVerbs {
  readonly redis: TestRedis;
  /** A plain connection for inspecting and changing keys in Redis. */
  readonly direct: Redis;
  /** Opens another set of lock verbs, as in another process. `port` can be the port of a proxy. */
  openVerbs(port?: number): Promise<TestVerbs>;
  openClient(options?: LockClientOptions & { port?: number }): Promise<LockClient>;
  stop(): Promise<void>;
}

export async function startTestLocks(options: TestRedisOptions = {}): Promise<TestLocks> {
  const redis = await startTestRedis(options);
  const opened: { close(): void }[] = [];
  const verbs = async (port = redis.port) => {
    const made = await openTestVerbs(port);
    opened.push(made);
    return made;
  };
  return {
    ...(await verbs()),
    redis,
    direct: redis.createClient(),
    openVerbs: verbs,
    async openClient({ port = redis.port, ...more } = {}) {
      const client = await LockClient.open(`redis://127.0.0.1:${port}`, more);
      opened.push(client);
      return client;
    },
    async stop() {
      for (const each of opened) each.close();
      await redis.stop();
    },
  };
}

export async function openTestVerbs(port: number): Promise<TestVerbs> {
  const address = parseRedisAddress(`redis://127.0.0.1:${port}`);
  const connection = connect(address, "verbs");
  const wake = connect(address, "wake", { autoResubscribe: false });
  await Promise.all([connection, wake].map((each) => waitUntilReady(each, AbortSignal.timeout(5000))));
  const locks = new RedisLocks(connection, wake, 0, ["lock:*"]);
  return {
    locks,
    connection,
    async acquire(key, owner, more) {
      const options = { owner, leaseMs: 30_000, ...more };
      return (await locks.acquire(key, options)).grant;
    },
    close() {
      connection.disconnect();
      wake.disconnect();
    },
  };
}

/** Creates a key that no other test uses. */
export const createTestKey = (prefix = "lock") => `${prefix}:${randomUUID()}`;

/** Creates an owner in the form of Redisson. */
export const createRedissonOwner = (thread = 7) => `${randomUUID()}:${thread}`;

/** Returns the result of a call: "ok", the error code, or the error as a string. */
export function getErrorCode(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "ok",
    (error: unknown) => (error instanceof LockkeeperError ? error.code : String(error)),
  );
}

/** Returns the error of a rejected call. @throws if the call was not rejected */
export async function catchLockError(promise: Promise<unknown>): Promise<LockkeeperError> {
  const error: unknown = await promise.then(
    () => "it was granted",
    (reason: unknown) => reason,
  );
  if (error instanceof LockkeeperError) return error;
  throw error instanceof Error ? error : new Error(String(error));
}

/** Returns the result of a call as `getErrorCode` does, and its duration in milliseconds. */
export async function measureMs(promise: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const startedAt = performance.now();
  const code = await getErrorCode(promise);
  return { code, ms: performance.now() - startedAt };
}

/** Reads the companion of a lock. */
export async function readCompanion(redis: Redis, key: string): Promise<Companion | undefined> {
  return parseCompanion((await redis.get(String(buildCompanionKey(key)))) ?? "");
}

/** Counts the clients of Lockkeeper that wait for the lock. */
export const countWaiters = (redis: Redis, key: string) => redis.zcard(String(buildWaitersKey(key)));

/** Returns the number of script calls that Redis has received. */
export async function countScriptCalls(direct: Redis): Promise<number> {
  const stats = await direct.info("commandstats");
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count));
  return calls.reduce((sum, count) => sum + count, 0);
}

export const sleepMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
