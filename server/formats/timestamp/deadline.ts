/**
 * Returns the time at which a lock with this deadline can be acquired, in Unix ms: one whole unit after the deadline.
 * `undefined` if the value is not a deadline.
 */
export function parseDeadline(value: string): number | undefined {
  const unitMs = detectUnitMs(value);
  return unitMs === undefined ? undefined : (Number(value) + 1) * unitMs;
}

/** As in storage.lua: a longer TTL is a Unix time that a client passed to EXPIRE, and not a lease. */
const TTL_MS_MAX = 10 * 365 * 24 * 3_600_000;

/**
 * Computes how long the lock of another library remains held, in ms; 0 or less: it can be acquired. As in storage.lua, it is
 * held until its key expires, before or after its deadline; without a TTL, until its deadline.
 */
export function computeForeignRemainingMs(deadlineMs: number, asOf: number, ttlMs: number | null): number {
  return ttlMs === null || ttlMs > TTL_MS_MAX ? deadlineMs - asOf : ttlMs;
}

/**
 * Computes the remaining time of a Lockkeeper hold in ms: until its deadline, or earlier if its key expires. As in
 * storage.lua.
 */
export function computeOwnRemainingMs(deadlineMs: number, asOf: number, ttlMs: number | null): number {
  return Math.min(deadlineMs - asOf, ttlMs ?? Number.POSITIVE_INFINITY);
}

/** Returns the unit of a deadline, in ms. As in storage.lua, ten digits are seconds and thirteen are milliseconds. */
export function detectUnitMs(value: string): number | undefined {
  if (!/^\d+$/.test(value)) return undefined;
  return value.length === 10 ? 1000 : value.length === 13 ? 1 : undefined;
}
