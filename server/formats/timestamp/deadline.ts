/**
 * Returns the time in Unix ms at which a lock with this deadline can be acquired, which is one whole unit (1 s or 1 ms)
 * after the deadline. Returns `undefined` if the value is not a deadline.
 */
export function parseDeadline(value: string): number | undefined {
  const unitMs = detectUnitMs(value);
  return unitMs === undefined ? undefined : (Number(value) + 1) * unitMs;
}

/**
 * Maximum TTL of a lease, in ms. A longer TTL is a Unix time that a client passed to EXPIRE. Must match storage.lua.
 */
const TTL_MS_MAX = 10 * 365 * 24 * 3_600_000;

/**
 * Computes the remaining time of another library's lock in ms. At 0 or less, clients can acquire the lock. The lock is
 * held until its key expires, or until its deadline if the key has no TTL or a TTL above `TTL_MS_MAX`. Must match
 * storage.lua.
 */
export function computeForeignRemainingMs(deadlineMs: number, asOf: number, ttlMs: number | null): number {
  return ttlMs === null || ttlMs > TTL_MS_MAX ? deadlineMs - asOf : ttlMs;
}

/**
 * Computes the remaining time of a Lockkeeper hold in ms. The hold ends at its deadline, or earlier if its key expires.
 * Must match storage.lua.
 */
export function computeOwnRemainingMs(deadlineMs: number, asOf: number, ttlMs: number | null): number {
  return Math.min(deadlineMs - asOf, ttlMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the unit of a deadline in ms: 1,000 for ten digits (seconds), 1 for thirteen digits (milliseconds). Returns
 * `undefined` for any other string. Must match storage.lua.
 */
export function detectUnitMs(value: string): number | undefined {
  if (!/^\d+$/.test(value)) return undefined;
  return value.length === 10 ? 1000 : value.length === 13 ? 1 : undefined;
}
