const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/**
 * Formats a duration in at most two units: `250ms`, `30s`, `5m 3s`, `2d 4h`. A duration of one second or longer is
 * rounded down to the smaller of the two units, so `2d 4h` omits minutes and seconds.
 *
 * @param ms milliseconds, 0 or more
 */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  const at = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[at] ?? UNITS[3];
  const whole = `${Math.floor(ms / size)}${unit}`;
  const [lesserUnit, lesserSize] = UNITS[at + 1] ?? [];
  if (lesserUnit === undefined || lesserSize === undefined) return whole;
  const rest = Math.floor((ms % size) / lesserSize);
  return rest === 0 ? whole : `${whole} ${rest}${lesserUnit}`;
}

const PATTERN = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
const MS_OF_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a duration such as `250ms`, `30s`, `5m`, `2h` or `1d`.
 *
 * @returns milliseconds, or `undefined` if `text` is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ""] = PATTERN.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Math.round(Number(amount) * (MS_OF_UNIT[unit] ?? Number.NaN));
}
