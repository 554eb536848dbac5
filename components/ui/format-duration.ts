import type { Messages } from "@/lib/i18n/en/messages.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The labels of time units in the page's language. */
export type UnitMessages = Pick<Messages["ui"], "units">;

/** Formats a duration in two units: `14 m 02 s`, `2 h 11 m`, `3 d 4 h`. */
function formatCoarse(ms: number, { units }: UnitMessages): string {
  const part = (unit: number, of: number) => Math.floor((ms % of) / unit);
  const two = (value: number) => String(value).padStart(2, "0");
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} ${units.m} ${two(part(SECOND, MINUTE))} ${units.s}`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} ${units.h} ${two(part(MINUTE, HOUR))} ${units.m}`;
  return `${Math.floor(ms / DAY)} ${units.d} ${part(HOUR, DAY)} ${units.h}`;
}

const formatTenths = (ms: number, { units }: UnitMessages) =>
  `${(Math.floor(ms / 100) / 10).toFixed(1)} ${units.s}`;

/** Formats a remaining time in ms. Shows tenths of a second in the last minute, and negative values as 0. */
export function formatRemaining(ms: number, messages: UnitMessages): string {
  const left = Math.max(0, ms);
  return left < MINUTE ? formatTenths(left, messages) : formatCoarse(left, messages);
}

/** Formats an elapsed time in ms. Shows tenths of a second below 10 s, and negative values as 0. */
export function formatElapsed(ms: number, messages: UnitMessages): string {
  const past = Math.max(0, ms);
  if (past < 10 * SECOND) return formatTenths(past, messages);
  return past < MINUTE ? `${Math.floor(past / SECOND)} ${messages.units.s}` : formatCoarse(past, messages);
}

/** Formats a duration in ms that may be shorter than a second: `12 ms`, `1.2 s`. */
export function formatSpan(ms: number, messages: UnitMessages): string {
  return ms < SECOND ? `${Math.round(ms)} ${messages.units.ms}` : formatElapsed(ms, messages);
}

/**
 * Formats an upper bound in ms. Rounds up to tenths of a second below 10 s, and to seconds otherwise: `1.3 s`, `24 s`.
 */
export function formatUpperBound(ms: number, messages: UnitMessages): string {
  const unit = ms < 10 * SECOND ? SECOND / 10 : SECOND;
  return formatSpan(Math.ceil(ms / unit) * unit, messages);
}

/**
 * Formats how long ago an event happened: `just now`, `4 s ago`.
 *
 * @param ms age of the event; a negative value counts as 0
 */
export function formatAgo(ms: number, messages: Pick<Messages["ui"], "justNow" | "ago" | "units">): string {
  const past = Math.max(0, ms);
  if (past < SECOND) return messages.justNow;
  return messages.ago(
    past < MINUTE ? `${Math.floor(past / SECOND)} ${messages.units.s}` : formatCoarse(past, messages),
  );
}

const CLOCK_FORMAT = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

/**
 * Returns a function that creates the formatter on its first call. Constructing a formatter takes milliseconds and
 * would delay the first render.
 */
function createLazyFormatter<Made>(make: () => Made): () => Made {
  let cached: Made | undefined;
  return () => {
    cached ??= make();
    return cached;
  };
}

/**
 * Returns a function that creates a date formatter on its first call. The Swedish locale formats dates as in ISO 8601,
 * in every language of the console.
 */
const getFormatter = (parts: Intl.DateTimeFormatOptions) =>
  createLazyFormatter(() => new Intl.DateTimeFormat("sv-SE", parts));
const clockFormatters = getFormatter(CLOCK_FORMAT);
const dateFormatters = getFormatter({
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  ...CLOCK_FORMAT,
  timeZoneName: "short",
});

export function formatClock(at: number): string {
  return clockFormatters().format(at);
}

/** Formats Unix milliseconds in the browser's time zone, without the year and the seconds: `11-21 21:05`. */
export function formatDayMinute(at: number): string {
  return formatDate(at).slice("2026-".length, "2026-11-21 21:05".length);
}

/** Formats Unix milliseconds in the browser's time zone, without the year: `11-21 21:05:01`. */
export function formatDayClock(at: number): string {
  return formatDate(at).slice("2026-".length, "2026-11-21 21:05:01".length);
}

export function formatClockMs(at: number): string {
  return `${clockFormatters().format(at)}.${String(Math.floor(at % 1000)).padStart(3, "0")}`;
}

/** Formats Unix milliseconds in the browser's time zone: `2026-11-21 21:05:01 UTC`. */
export function formatDate(at: number): string {
  return dateFormatters().format(at);
}

const numberFormatters = createLazyFormatter(() => new Intl.NumberFormat("en-US"));
export const formatNumber = (value: number): string => numberFormatters().format(value);

/**
 * Shortens a fencing token to its last six digits, because usually only these digits differ: `…104 822`. Tokens of up
 * to nine digits are returned unchanged.
 */
export function formatFence(fence: string): string {
  if (fence.length <= 9) return fence;
  return `…${fence.slice(-6, -3)} ${fence.slice(-3)}`;
}
