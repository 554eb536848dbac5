/** When the lock of a deadline may be taken, in Unix milliseconds: one whole unit after it. undefined: no deadline. */
export function parseDeadline(value: string): number | undefined {
  const unitMs = detectUnitMs(value);
  return unitMs === undefined ? undefined : (Number(value) + 1) * unitMs;
}

/** As in storage.lua: ten digits are seconds, thirteen milliseconds. */
export function detectUnitMs(value: string): number | undefined {
  if (!/^\d+$/.test(value)) return undefined;
  return value.length === 10 ? 1000 : value.length === 13 ? 1 : undefined;
}
