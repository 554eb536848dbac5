import { setTimeout as sleep } from "node:timers/promises";
import { REDIS_ADDRESS_SPACE_BYTES, WATCHDOG_BYTES } from "../limits.ts";
import { ApiClient } from "./api-client.ts";
import { type ApiVersion, type ApiVersionName, detectApiVersion, getApiVersion } from "./api-version.ts";
import { type LimitedRedis, startLimitedRedis } from "./limited-redis.ts";
import { type Lockkeeper, startLockkeeper } from "./lockkeeper.ts";

const ROOT_KEY = "root-key-of-the-hostile-run-0123456789-0123456789";
const VICTIM = "lock:victim";
const VICTIM_OWNER = "victim@pod-1:1";
const VICTIM_LEASE_MS = 60 * 60 * 1000;
const READ_WITHIN_MS = 5_000;
const CLEAR_MS_MAX = 15_000;

/** Redis and Lockkeeper servers for one or more cases, and a lock (the victim's) that no case may change. */
export interface Environment {
  readonly redis: LimitedRedis;
  readonly lockkeeper: Lockkeeper;
  readonly versionName: ApiVersionName;
  readonly version: ApiVersion;
  readonly keys: ApiKeys;
  /** Returns why a server has exited. Undefined while both servers run. */
  describeEnd(): string | undefined;
  /**
   * Checks that the victim's lock is unchanged.
   *
   * @returns a description of the fault, or undefined if there is none
   */
  checkVictim(): Promise<string | undefined>;
  /** Deletes all planted data and waits until only the victim's lock is listed. */
  clear(): Promise<void>;
  countLocks(): Promise<number>;
  stop(): Promise<void>;
}

export async function startEnvironment(checkout: string): Promise<Environment> {
  const versionName = detectApiVersion(checkout);
  const redis = await startLimitedRedis(REDIS_ADDRESS_SPACE_BYTES);
  let lockkeeper: Lockkeeper;
  try {
    lockkeeper = await startLockkeeper({
      checkout,
      apiVersion: versionName,
      redisUrl: redis.url,
      rootKey: ROOT_KEY,
      rssBytesMax: WATCHDOG_BYTES,
    });
  } catch (error) {
    await redis.stop();
    throw error;
  }
  const keys = await createApiKeys(lockkeeper.url);
  const { root, application } = keys;
  const victimKeys = await acquireVictim(application, redis);
  const readVictim = () => Promise.all(victimKeys.map((key) => redis.client.dumpBuffer(key)));
  const before = await readVictim();
  const readTarget = async () => (await root.get("/targets")).body?.items?.[0] ?? {};
  return {
    redis,
    lockkeeper,
    versionName,
    version: getApiVersion(versionName),
    keys,
    describeEnd: () =>
      redis.hasEnded() ? "Redis ended: it exceeded its address space" : lockkeeper.describeEnd(),
    async checkVictim() {
      const now = await readVictim();
      const isSame = now.every((value, at) => value !== null && before[at]?.equals(value));
      if (!isSame) return "the victim's lock was changed in Redis";
      const reply = await root.get(`/locks/${encodeURIComponent(VICTIM)}`);
      const isListed = reply.status === 200 && JSON.stringify(reply.body).includes(VICTIM_OWNER);
      return isListed ? undefined : `the victim's lock cannot be read (${reply.status})`;
    },
    async clear() {
      const isClear = async () => {
        // Deletes again in each attempt, because a pending request may have acquired another lock.
        await deletePlanted(redis, victimKeys);
        const { locks, state } = await readTarget();
        return locks === 1 && state === "live";
      };
      await waitUntil(isClear, CLEAR_MS_MAX, "Planted locks are still listed, or the target is not live");
    },
    countLocks: async () => (await readTarget()).locks ?? 0,
    async stop() {
      await lockkeeper.stop();
      await redis.stop();
    },
  };
}

/** API clients with different permissions. */
export interface ApiKeys {
  /** Client with all permissions. */
  readonly root: ApiClient;
  /** The ordinary client, which also owns the victim's lock. */
  readonly application: ApiClient;
  /** Another application with the same permissions. */
  readonly attacker: ApiClient;
  readonly reader: ApiClient;
}

async function createApiKeys(url: string): Promise<ApiKeys> {
  const root = new ApiClient(url, ROOT_KEY);
  const create = async (name: string, verbs: readonly string[]) =>
    new ApiClient(url, await createKey(root, name, verbs));
  return {
    root,
    application: await create("application", ["read", "lock"]),
    attacker: await create("attacker", ["read", "lock"]),
    reader: await create("reader", ["read"]),
  };
}

async function createKey(root: ApiClient, name: string, verbs: readonly string[]): Promise<string> {
  const reply = await root.post("/keys", { name, verbs });
  if (reply.status >= 300) throw new Error(`API key ${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.secret;
}

/**
 * Acquires the victim's lock.
 *
 * @returns the Redis keys that belong to the hold
 */
async function acquireVictim(client: ApiClient, { client: redis }: LimitedRedis): Promise<string[]> {
  const reply = await client.acquire(VICTIM, VICTIM_OWNER, VICTIM_LEASE_MS);
  if (reply.status >= 300)
    throw new Error(`The victim's lock: ${reply.status} ${JSON.stringify(reply.body)}`);
  const found = await redis.keys(`*${VICTIM}*`);
  if (!found.includes(VICTIM)) throw new Error("The victim's lock is not in Redis");
  await waitUntil(
    async () => (await client.get(`/locks/${encodeURIComponent(VICTIM)}`)).status === 200,
    READ_WITHIN_MS,
    "The victim's lock is not listed",
  );
  return found;
}

/**
 * Keys by which Lockkeeper recognizes its data: those of the home store, the companion of the recorder's lock, and the
 * canaries. If they disappear, Lockkeeper assumes a loss of data, and the next case would also measure how it recovers.
 */
const KEPT_KEY = /\{lockkeeper\}|^lockkeeper:canary/;

async function deletePlanted({ client }: LimitedRedis, kept: readonly string[]): Promise<void> {
  let cursor = "0";
  do {
    const [next, keys] = await client.scanBuffer(cursor, "COUNT", 1_000);
    const planted = keys.filter((key) => {
      const name = key.toString("latin1");
      return !KEPT_KEY.test(name) && !kept.includes(name);
    });
    if (planted.length > 0) await client.unlink(...planted);
    cursor = String(next);
  } while (cursor !== "0");
}

export async function waitUntil(
  holds: () => Promise<boolean>,
  withinMs: number,
  otherwise: string,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    signal?.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`${otherwise} after ${withinMs} ms`);
    await sleep(50);
  }
}
