import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { Grant } from "../../lib/contract/actions/verb.ts";
import type { SpokenFormat } from "../../lib/contract/format.ts";
import { LockkeeperError } from "../../server/errors/lockkeeper-error.ts";
import { LockClient, type LockClientOptions } from "../../server/locks/client/lock-client.ts";
import { Locks } from "../../server/locks/verbs/redis-locks.ts";
import type { AcquireOptions } from "../../server/locks/verbs/verbs.ts";
import { addressOf, connect, whenReady } from "../../server/redis/connect.ts";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "./test-redis.ts";

export const ALL_FORMATS: readonly SpokenFormat[] = ["redisson", "token", "timestamp"];

/** The verbs with connections of their own. */
export interface TestVerbs {
  readonly locks: Locks;
  readonly connection: Redis;
  /** Takes a lock for half a minute, unless other options are given. */
  acquire(key: string, owner: string, more?: Partial<AcquireOptions>): Promise<Grant>;
  close(): void;
}

/** The verbs and the library on a throwaway Redis. */
export interface TestLocks extends TestVerbs {
  readonly redis: TestRedis;
  /** A plain connection, for looking at what is in Redis and for meddling with it. */
  readonly direct: Redis;
  /** More of the verbs, as in another process; through `port` when that is a proxy's. */
  verbs(port?: number): Promise<TestVerbs>;
  client(options?: LockClientOptions & { port?: number }): Promise<LockClient>;
  stop(): Promise<void>;
}

export async function startTestLocks(options: TestRedisOptions = {}): Promise<TestLocks> {
  const redis = await startTestRedis(options);
  const opened: { close(): void }[] = [];
  const verbs = async (port = redis.port) => {
    const made = await openVerbs(port);
    opened.push(made);
    return made;
  };
  return {
    ...(await verbs()),
    redis,
    direct: redis.client(),
    verbs,
    async client({ port = redis.port, ...more } = {}) {
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

export async function openVerbs(port: number): Promise<TestVerbs> {
  const address = addressOf(`redis://127.0.0.1:${port}`);
  const connection = connect(address, "verbs");
  const wake = connect(address, "wake", { autoResubscribe: false });
  await Promise.all([connection, wake].map((each) => whenReady(each, AbortSignal.timeout(5000))));
  const locks = new Locks(connection, wake, 0, ["lock:*"]);
  return {
    locks,
    connection,
    async acquire(key, owner, more) {
      const options = { owner, leaseMs: 30_000, reentrant: true, ...more };
      return (await locks.acquire(key, options)).grant;
    },
    close() {
      connection.disconnect();
      wake.disconnect();
    },
  };
}

/** A key that no other test has. */
export const freshKey = () => `lock:${randomUUID()}`;

/** What became of a call: "ok", the code of its refusal, or the error as text. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "ok",
    (error: unknown) => (error instanceof LockkeeperError ? error.code : String(error)),
  );
}

/** How many scripts Redis was asked to run. */
export async function scriptCalls(direct: Redis): Promise<number> {
  const stats = await direct.info("commandstats");
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count));
  return calls.reduce((sum, count) => sum + count, 0);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
