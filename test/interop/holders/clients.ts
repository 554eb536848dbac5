import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The libraries of npm/package.json, with the used part of their types. */

/**
 * Loads the packages in npm/package.json. It is not named `require`, because the linter would look for the packages in
 * the package.json at the root.
 */
const load = createRequire(new URL("npm/package.json", import.meta.url));

export interface Connection {
  disconnect(): void;
  on(event: "error", listener: () => void): unknown;
}
export const { Redis } = load("ioredis") as { Redis: new (url: string) => Connection };

interface Redlock4Lock {
  readonly value: string;
  unlock(): Promise<void>;
}
export const Redlock4 = load("redlock4") as new (
  clients: Connection[],
  settings: { retryCount: number; retryDelay?: number },
) => { lock(resources: string | string[], ttl: number): Promise<Redlock4Lock>; on: Connection["on"] };

interface Redlock5Lock {
  readonly value: string;
  release(): Promise<unknown>;
}
export interface Redlock5Settings {
  retryCount: number;
  retryDelay?: number;
  automaticExtensionThreshold?: number;
}
export const Redlock5 = (
  load("redlock5") as {
    default: new (
      clients: Connection[],
      settings: Redlock5Settings,
    ) => {
      acquire(resources: string[], duration: number): Promise<Redlock5Lock>;
      using<Result>(
        resources: string[],
        duration: number,
        routine: (signal: AbortSignal) => Promise<Result>,
      ): Promise<Result>;
      on: Connection["on"];
    };
  }
).default;

export interface SemaphoreOptions {
  lockTimeout: number;
  refreshInterval?: number;
  acquireTimeout?: number;
  identifierSuffix?: string;
  onLockLost?: (error: Error) => void;
}
interface SemaphoreLock {
  readonly identifier: string;
  readonly isAcquired: boolean;
  acquire(): Promise<void>;
  release(): Promise<void>;
}
export const { Mutex, Semaphore, MultiSemaphore, RedlockMutex } = load("redis-semaphore") as {
  Mutex: new (client: Connection, key: string, options: SemaphoreOptions) => SemaphoreLock;
  Semaphore: new (client: Connection, key: string, limit: number, options: SemaphoreOptions) => SemaphoreLock;
  MultiSemaphore: new (
    client: Connection,
    key: string,
    limit: number,
    permits: number,
    options: SemaphoreOptions,
  ) => SemaphoreLock;
  RedlockMutex: new (clients: Connection[], key: string, options: SemaphoreOptions) => SemaphoreLock;
};

export interface IoredisLock {
  acquire(key: string): Promise<unknown>;
  release(): Promise<unknown>;
}
/** Loads an ES module, which Node 20 cannot load with `require`. */
export async function loadIoredisLock() {
  const file = pathToFileURL(load.resolve("@microfleet/ioredis-lock")).href;
  return (await import(file)) as {
    createLock(
      client: Connection,
      options: { timeout: number; retries: number; delay?: number },
    ): IoredisLock;
  };
}

interface Job {
  readonly id: string;
}
interface BullMqQueue {
  add(name: string, data: object): Promise<Job>;
  close(): Promise<void>;
}
interface BullMqWorker {
  on(event: "completed", listener: (job: Job, result: unknown) => void): unknown;
  on(event: "error" | "failed" | "stalled", listener: (...details: unknown[]) => void): unknown;
  close(): Promise<void>;
}
interface At {
  connection: { host: string; port: number };
}
export const bullmq = load("bullmq") as {
  Queue: new (name: string, options: At) => BullMqQueue;
  Worker: new (name: string, work: (job: Job) => Promise<unknown>, options: At) => BullMqWorker;
};

export const Bull = load("bull") as new (
  name: string,
  url: string,
) => {
  add(data: object): Promise<{ id: number | string; finished(): Promise<unknown> }>;
  process(work: () => Promise<unknown>): Promise<void>;
  on(event: "error" | "failed" | "stalled", listener: (...details: unknown[]) => void): unknown;
  close(): Promise<void>;
};
