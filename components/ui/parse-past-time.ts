import { parseLocalDateTime } from "./local-date-time.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^-?(\d{1,6}(?:\.\d{1,3})?)\s*([smhd])(?:\s*ago)?$/i;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?$/;
const DATE = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/;

/**
 * Parses a time in the past, in the browser's time zone: `10:47:04` (the latest occurrence that is not in the future),
 * `2026-11-23 10:47:04`, or `5 m` for five minutes ago.
 *
 * @param now Unix milliseconds
 * @returns Unix milliseconds; `undefined` if the text is not a time or is in the future
 */
export function parsePastTime(text: string, now: number): number | undefined {
  const at = parseTime(text.trim(), now);
  return at === undefined || at > now ? undefined : at;
}

function parseTime(text: string, now: number): number | undefined {
  const [, amount, unit] = AGO.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) {
    return Math.round(now - Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 0));
  }
  const [, date, time] = DATE.exec(text) ?? [];
  if (date !== undefined) return parseLocalDateTime(`${date}T${time}`);
  return parseClock(text, now);
}

/** Parses a time of day. Uses the previous day if the time would be later than `now`. */
function parseClock(text: string, now: number): number | undefined {
  const [, hours, minutes, seconds = "0"] = CLOCK.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60)
    return undefined;
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  at.setTime(at.getTime() + Math.round(Number(seconds) * 1000));
  if (at.getTime() > now) at.setDate(at.getDate() - 1);
  return at.getTime();
}

/**
 * Formats the browser's time zone with its offset at a point in time (Unix milliseconds): `Europe/Berlin (UTC+01:00)`.
 */
export function formatTimeZone(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const offset = `UTC${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone === "UTC" ? "UTC" : `${timeZone} (${offset})`;
}
