import { requireNpmModule } from "../npm-module.ts";
import type { NpmTool } from "../steps/npm.ts";
import type { SectionRedis } from "./section.ts";

/** A lock library from npm, with a uniform interface. */
export interface Library {
  /**
   * Tries to acquire a lock once, or polls for up to `waitMs`.
   *
   * @returns undefined if the lock was not acquired
   */
  acquire(key: string, leaseMs: number, waitMs: number): Promise<AcquiredLock | undefined>;
  redis: SectionRedis;
}

export interface AcquiredLock {
  /**
   * Releases the lock.
   *
   * @throws if the library reports that the lock was no longer held
   */
  release(): Promise<unknown>;
}

const POLL_MS = 20;
const countTries = (waitMs: number) => Math.ceil(waitMs / POLL_MS);

/** The subset of ioredis 5 that is used. The libraries require that version. */
type RedisOf = { Redis: new (url: string) => SectionRedis };

const OPENERS: Readonly<
  Record<string, (npm: NpmTool, servers: readonly [SectionRedis, ...SectionRedis[]]) => Library["acquire"]>
> = {
  redlock4(npm, servers) {
    type Lock = { unlock(): Promise<unknown> };
    type Module = new (
      clients: unknown[],
      options: object,
    ) => { lock(key: string, ttl: number): Promise<Lock> };
    const Redlock = requireNpmModule<Module>(npm, "redlock4");
    return (key, leaseMs, waitMs) => {
      const redlock = new Redlock([...servers], {
        retryCount: countTries(waitMs),
        retryDelay: POLL_MS,
        retryJitter: 5,
      });
      return waitForGrant(
        redlock.lock(key, leaseMs).then((lock) => ({ release: () => lock.unlock() })),
        "LockError",
      );
    };
  },

  redlock5(npm, servers) {
    type Lock = { release(): Promise<unknown> };
    type Redlock = {
      acquire(keys: string[], ttl: number): Promise<Lock>;
      on(event: "error", ear: () => void): void;
    };
    const { default: Redlock } = requireNpmModule<{
      default: new (clients: unknown[], options: object) => Redlock;
    }>(npm, "redlock5");
    return (key, leaseMs, waitMs) => {
      const redlock = new Redlock([...servers], {
        retryCount: countTries(waitMs),
        retryDelay: POLL_MS,
        retryJitter: 5,
      });
      redlock.on("error", () => undefined);
      return waitForGrant(redlock.acquire([key], leaseMs), "ExecutionError");
    };
  },

  "redis-semaphore"(npm, [redis]) {
    type Mutex = { tryAcquire(): Promise<boolean>; acquire(): Promise<void>; release(): Promise<void> };
    const { Mutex } = requireNpmModule<{
      Mutex: new (redis: unknown, key: string, options: object) => Mutex;
    }>(npm, "redis-semaphore");
    return async (key, leaseMs, waitMs) => {
      const times = {
        lockTimeout: leaseMs,
        acquireTimeout: Math.max(waitMs, 1000),
        retryInterval: POLL_MS,
        refreshInterval: 0,
      };
      // The library adds the prefix `mutex:` to the name.
      const mutex = new Mutex(redis, key.replace(/^mutex:/, ""), times);
      if (waitMs === 0) return (await mutex.tryAcquire()) ? mutex : undefined;
      return await waitForGrant(
        mutex.acquire().then(() => mutex),
        "TimeoutError",
      );
    };
  },
};

/**
 * Opens a library.
 *
 * @param urls URL of the server, or comma-separated URLs of several servers. Work under a lock uses the first one
 */
export function openLibrary(npm: NpmTool, name: string, urls: string): Library {
  const { Redis } = requireNpmModule<RedisOf>(npm, "ioredis");
  const [first = "", ...others] = urls.split(",");
  const redis = new Redis(first);
  const open = OPENERS[name];
  if (open === undefined) throw new Error(`There is no library ${name}`);
  return { acquire: open(npm, [redis, ...others.map((url) => new Redis(url))]), redis };
}

async function waitForGrant<Lock>(lock: Promise<Lock>, refusal: string): Promise<Lock | undefined> {
  try {
    return await lock;
  } catch (error) {
    const { name } = (error as Error).constructor;
    if (name === refusal) return undefined;
    throw error;
  }
}
