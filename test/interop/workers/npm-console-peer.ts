/**
 * A peer with the lock libraries from npm, each with its default settings. The name of a library selects its object.
 *
 * Usage: `npm-console-peer.ts <url> <npm folder>`
 */
import { requireNpmModule } from "../npm-module.ts";
import { serveVerbs } from "./serve.ts";

interface HeldLock {
  readonly owner: string;
  extend(): Promise<unknown>;
  drop(): Promise<unknown>;
}
/** Acquires a lock. Resolves with undefined if the lock was not acquired. */
type AcquireFunction = (key: string, waitMs: number, leaseMs: number) => Promise<HeldLock | undefined>;

const POLL_MS = 200;
const [url = "", dir = ""] = process.argv.slice(2);
const npm = { dir };
const { Redis } = requireNpmModule<{ Redis: new (url: string) => object }>(npm, "ioredis");
const redis = new Redis(url);

interface RedlockHold {
  readonly value: string;
  unlock(): Promise<unknown>;
  release(): Promise<unknown>;
  extend(leaseMs: number): Promise<unknown>;
}
interface Redlock {
  lock(key: string, leaseMs: number): Promise<RedlockHold>;
  acquire(keys: string[], leaseMs: number): Promise<RedlockHold>;
  on(event: "error", ear: () => void): void;
}
type RedlockModule = new (clients: object[], options: object) => Redlock;
const Redlock4 = requireNpmModule<RedlockModule>(npm, "redlock4");
const { default: Redlock5 } = requireNpmModule<{ default: RedlockModule }>(npm, "redlock5");
const getRetryOptions = (waitMs: number) => ({
  retryCount: Math.ceil(waitMs / POLL_MS),
  retryDelay: POLL_MS,
});

interface Mutex {
  readonly identifier: string;
  tryAcquire(): Promise<boolean>;
  acquire(): Promise<void>;
  release(): Promise<void>;
}
type MutexModule = { Mutex: new (redis: object, name: string, options: object) => Mutex };
const { Mutex } = requireNpmModule<MutexModule>(npm, "redis-semaphore");

const LIBRARIES: Readonly<Record<string, AcquireFunction>> = {
  async redlock4(key, waitMs, leaseMs) {
    const lock = await new Redlock4([redis], getRetryOptions(waitMs)).lock(key, leaseMs);
    return { owner: lock.value, extend: () => lock.extend(leaseMs), drop: () => lock.unlock() };
  },

  async redlock5(key, waitMs, leaseMs) {
    const redlock = new Redlock5([redis], getRetryOptions(waitMs));
    redlock.on("error", () => undefined);
    const lock = await redlock.acquire([key], leaseMs);
    return { owner: lock.value, extend: () => lock.extend(leaseMs), drop: () => lock.release() };
  },

  async mutex(key, waitMs, leaseMs) {
    const options = { lockTimeout: leaseMs, acquireTimeout: Math.max(waitMs, 1000) };
    const mutex = new Mutex(redis, key.replace(/^mutex:/, ""), options);
    if (waitMs > 0) await mutex.acquire();
    else if (!(await mutex.tryAcquire())) return undefined;
    const drop = () => mutex.release();
    return { owner: mutex.identifier, extend: drop, drop };
  },
};

const holds = new Map<string, HeldLock>();

serveVerbs({
  async hold(who = "", object = "", key = "", waitMs, leaseMs) {
    const sinceMs = Date.now();
    const held = await LIBRARIES[object]?.(key, Number(waitMs), Number(leaseMs));
    if (held !== undefined) holds.set(`${who} ${key}`, held);
    const outcome = held === undefined ? "refused" : "granted";
    return { outcome, sinceMs, atMs: Date.now(), owner: held?.owner };
  },
  extend: (who, _, key) => describeOutcome(holds.get(`${who} ${key}`)?.extend()),
  drop: (who, _, key) => describeOutcome(holds.get(`${who} ${key}`)?.drop()),
  /** Never responds, because the process of the library is expected to exit. */
  end: () => new Promise(() => undefined),
});

async function describeOutcome(act: Promise<unknown> | undefined): Promise<object> {
  if (act === undefined) throw new Error("never taken");
  return await act.then(
    () => ({ outcome: "released", said: "" }),
    (error: Error) => ({ outcome: "refused", said: error.constructor.name }),
  );
}
