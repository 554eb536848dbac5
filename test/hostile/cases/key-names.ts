import { setTimeout as sleep } from "node:timers/promises";
import type { CaseContext, HostileCase } from "../hostile-case.ts";
import { repeatUntil } from "./repeat.ts";

const LEASE_MS = 60_000;
const RENEWALS_PER_SECOND = 10;
const KEYS_PER_BATCH = 20;
const VISIBLE_MS = 1_000;

interface NamedValue {
  readonly key: string;
  readonly value: string;
}

const repeatTo = (part: string, bytes: number) => part.repeat(Math.ceil(bytes / part.length));

/**
 * Creates a name that made the expression for job locks backtrack. The following functions do so for cache locks and
 * Tooz locks.
 */
const createBullJob = (bytes: number): NamedValue => ({
  key: `a${repeatTo(":repeat:1", bytes)}:x:lock`,
  value: "8743c9c0-0795-4907-87fd-6c719a6b4586:1",
});
const createCacheLock = (bytes: number): NamedValue => ({
  key: `lock:${repeatTo("_database_x", bytes)}`,
  value: "abcdefghijklmnop",
});
const createToozLock = (bytes: number): NamedValue => ({
  key: `lock:${repeatTo("_tooz", bytes)}`,
  value: "7a8f8c3e-1b9e-11ee-be56-0242ac120002",
});

function createNameCase(name: string, create: (bytes: number) => NamedValue): HostileCase {
  return {
    name,
    finding: "F2",
    async attack({ redis, sizes, enough, addPlanted }) {
      const { key, value } = create(sizes.keyNameBytes);
      await redis.set(key, value, "PX", LEASE_MS);
      await addPlanted([key]);
      return await repeatUntil(enough, RENEWALS_PER_SECOND, () => redis.pexpire(key, LEASE_MS));
    },
  };
}

export const BULL_KEY_NAME = createNameCase("long-bullmq-name", createBullJob);
export const CACHE_KEY_NAME = createNameCase("long-laravel-name", createCacheLock);
export const TOOZ_KEY_NAME = createNameCase("long-tooz-name", createToozLock);

/** Creates and deletes keys with long names. Each key leaves two events in the history. */
export const SHORT_LIVED_KEYS: HostileCase = {
  name: "long-names-come-and-go",
  finding: "F9",
  async attack({ redis, sizes, addPlanted, over }: CaseContext) {
    const padding = "x".repeat(sizes.shortLivedKeyNameBytes);
    const keys = Array.from({ length: sizes.shortLivedKeys }, (_, index) => `lock:${index}:${padding}`);
    for (let at = 0; at < keys.length && !over.aborted; at += KEYS_PER_BATCH) {
      const batch = keys.slice(at, at + KEYS_PER_BATCH);
      for (const key of batch) await redis.set(key, `owner:${at}`, "PX", LEASE_MS);
      await sleep(10);
    }
    await addPlanted(keys);
    await sleep(VISIBLE_MS);
    for (const key of keys) await redis.del(key);
    return [];
  },
};
