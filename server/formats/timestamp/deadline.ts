/** When the lock of a deadline may be taken, in Unix milliseconds: one whole unit after it. undefined: no deadline. */
export function parseDeadline(value: string): number | undefined {
  const unitMs = detectUnitMs(value);
  return unitMs === undefined ? undefined : (Number(value) + 1) * unitMs;
}

/** As in storage.lua: a longer time to live is a Unix time that a client passed to EXPIRE, and no lease. */
const TTL_MS_MAX = 10 * 365 * 24 * 3_600_000;

/**
 * Computes for how long the lock of another library stays taken, in ms; 0 or less: it may be acquired. As in
 * storage.lua: until its key expires, whether that is before or after its deadline. Without a TTL until its deadline.
 */
export function computeForeignRemainingMs(deadlineMs: number, asOf: number, ttlMs: number | null): number {
  return ttlMs === null || ttlMs > TTL_MS_MAX ? deadlineMs - asOf : ttlMs;
}

/** Computes what is left of a hold of ours, in ms: until its deadline, unless its key expires before. As in storage.lua. */
export function computeOwnRemainingMs(deadlineMs: number, asOf: number, ttlMs: number | null): number {
  return Math.min(deadlineMs - asOf, ttlMs ?? Number.POSITIVE_INFINITY);
}

/** As in storage.lua: ten digits are seconds, thirteen milliseconds. */
export function detectUnitMs(value: string): number | undefined {
  if (!/^\d+$/.test(value)) return undefined;
  return value.length === 10 ? 1000 : value.length === 13 ? 1 : undefined;
}
