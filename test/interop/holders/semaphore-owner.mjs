// Acquires a mutex of redis-semaphore as an application without `onLockLost` does, and prints a line once it is held.
// Arguments: URL, key.
import { createRequire } from "node:module";

const load = createRequire(new URL("npm/package.json", import.meta.url));
const { Redis } = load("ioredis");
const { Mutex } = load("redis-semaphore");

const [, , url, key] = process.argv;
const mutex = new Mutex(new Redis(url), key, { lockTimeout: 30_000, refreshInterval: 100 });
await mutex.acquire();
process.stdout.write(`held by ${mutex.identifier}\n`);
