import { formatDate } from "./format-duration.ts";

const SECOND_MS = 1000;
/** Matches `2026-11-21 21:05:01`. The seconds, the year or the whole date can be missing. */
const DATE_TIME = /^(?:(?:(\d{4})-)?(\d{1,2})-(\d{1,2})(?:$|[ T]+))?(?:(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** Formats Unix milliseconds for a text field, in the browser's time zone: `2026-11-21 21:05:01`. */
export function toLocalDateTime(at: number): string {
  return formatDate(at).slice(0, "2026-11-21 21:05:01".length);
}

/** Returns the name of the browser's time zone at a point in time (Unix milliseconds): `UTC`, `CET`, `GMT+8`. */
export function formatZone(at: number): string {
  return formatDate(at).slice("2026-11-21 21:05:01 ".length);
}

/**
 * Parses a time in the browser's time zone, on a 24-hour clock. A time without a date uses the date of `now`. A date
 * without a year is in the year of `now`. A date without a time is the start of that day.
 *
 * @param now Unix milliseconds
 * @returns Unix milliseconds; `undefined` if the text is empty or not a valid date or time
 */
export function parseLocalDateTime(text: string, now = Date.now()): number | undefined {
  const parts = DATE_TIME.exec(text.trim());
  if (parts === null || text.trim() === "") return undefined;
  const today = new Date(now);
  const [year = today.getFullYear(), month = today.getMonth() + 1, day = today.getDate()] = parts
    .slice(1, 4)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const [hour = 0, minute = 0, second = 0] = parts
    .slice(4)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const moment = new Date(year, month - 1, day, hour, minute, second);
  // `Date` normalizes dates: 31 February would become a day in March.
  const isReal = moment.getMonth() === month - 1 && moment.getDate() === day && moment.getHours() === hour;
  return isReal && minute < 60 && second < 60 ? moment.getTime() : undefined;
}

/**
 * Returns the last millisecond of the second that contains `at`, in Unix milliseconds. Date fields have a precision of
 * one second, so the end of a time range includes the whole second.
 */
export function toEndOfSecond(at: number): number {
  return Math.floor(at / SECOND_MS) * SECOND_MS + SECOND_MS - 1;
}
