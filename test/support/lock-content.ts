import type { Redis } from "ioredis";
import { expect } from "vitest";
import { buildCompanionKey, buildWaitersKey } from "../../server/formats/keys.ts";

/** All data of one lock in Redis that a verb may change. */
export interface LockContent {
  /** DUMP of the lock's key in base64. */
  readonly lock: string;
  /** Unix time in milliseconds at which the lock's key expires, on the clock of Redis. `null` if the key has no TTL. */
  readonly expiresAtMs: number | null;
  readonly companion: string;
  readonly waiters: number;
}

const READ_EXPIRY = `
local left_ms = redis.call('PTTL', KEYS[1])
if left_ms < 0 then return -1 end
local time = redis.call('TIME')
return string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + left_ms)`;

export async function readLockContent(redis: Redis, key: string): Promise<LockContent> {
  const [lock, expiry, companion, waiters] = await Promise.all([
    redis.dumpBuffer(key),
    redis.eval(READ_EXPIRY, 1, key),
    redis.get(String(buildCompanionKey(key))),
    redis.zcard(String(buildWaitersKey(key))),
  ]);
  const expiresAtMs = Number(expiry) < 0 ? null : Number(expiry);
  return { lock: lock?.toString("base64") ?? "", expiresAtMs, companion: companion ?? "", waiters };
}

/**
 * Tolerance in milliseconds between two readings of an unchanged expiry. Each reading combines the time and the TTL,
 * for which Redis reads its clock separately.
 */
const CLOCK_MS = 20;

export function expectSameContent(after: LockContent, before: LockContent, at?: string): void {
  const { expiresAtMs, ...content } = before;
  expect(after, at).toMatchObject(content);
  expect(after.expiresAtMs === null, at).toBe(expiresAtMs === null);
  expect(Math.abs((after.expiresAtMs ?? 0) - (expiresAtMs ?? 0)), at).toBeLessThan(CLOCK_MS);
}
