import type { Messages } from "@/lib/i18n/en/messages.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Two units at most: `14 m 02 s`, `2 h 11 m`, `3 d 4 h`. */
function formatCoarse(ms: number): string {
  const part = (unit: number, of: number) => Math.floor((ms % of) / unit);
  const two = (value: number) => String(value).padStart(2, "0");
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${two(part(SECOND, MINUTE))} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${two(part(MINUTE, HOUR))} m`;
  return `${Math.floor(ms / DAY)} d ${part(HOUR, DAY)} h`;
}

const formatTenths = (ms: number) => `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;

/** What is left: tenths in the last minute, where they are watched. */
export function formatRemaining(ms: number): string {
  const left = Math.max(0, ms);
  return left < MINUTE ? formatTenths(left) : formatCoarse(left);
}

/** What has passed. */
export function formatElapsed(ms: number): string {
  const past = Math.max(0, ms);
  if (past < 10 * SECOND) return formatTenths(past);
  return past < MINUTE ? `${Math.floor(past / SECOND)} s` : formatCoarse(past);
}

/** A length of time that may be short: `12 ms`, `1.2 s`. */
export function formatSpan(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : formatElapsed(ms);
}

/** A length of time that is not exceeded, rounded up: `1.3 s`, `24 s`. */
export function formatUpperBound(ms: number): string {
  const unit = ms < 10 * SECOND ? SECOND / 10 : SECOND;
  return formatSpan(Math.ceil(ms / unit) * unit);
}

/** For a sentence: `4 s ago`. */
export function formatAgo(ms: number, messages: Pick<Messages["ui"], "justNow" | "ago">): string {
  const past = Math.max(0, ms);
  if (past < SECOND) return messages.justNow;
  return messages.ago(past < MINUTE ? `${Math.floor(past / SECOND)} s` : formatCoarse(past));
}

const CLOCK_FORMAT = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

/** Made when it is first used: each takes milliseconds, and the page wakes up meanwhile. */
function createLazyFormatter<Made>(make: () => Made): () => Made {
  let cached: Made | undefined;
  return () => {
    cached ??= make();
    return cached;
  };
}

/** Moments are written the same way in every language. Swedes write them as ISO 8601 does. */
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

/** Of this year: `11-21 21:05`. */
export function formatDayMinute(at: number): string {
  return formatDate(at).slice("2026-".length, "2026-11-21 21:05".length);
}

/** Of this year: `11-21 21:05:01`. */
export function formatDayClock(at: number): string {
  return formatDate(at).slice("2026-".length, "2026-11-21 21:05:01".length);
}

export function formatClockMs(at: number): string {
  return `${clockFormatters().format(at)}.${String(Math.floor(at % 1000)).padStart(3, "0")}`;
}

/** `2026-11-21 21:05:01 UTC`, in the browser's zone. */
export function formatDate(at: number): string {
  return dateFormatters().format(at);
}

const numberFormatters = createLazyFormatter(() => new Intl.NumberFormat("en-US"));
export const formatNumber = (value: number): string => numberFormatters().format(value);

/** Fences differ in their last digits only: `…104 822`. */
export function formatFence(fence: string): string {
  if (fence.length <= 9) return fence;
  return `…${fence.slice(-6, -3)} ${fence.slice(-3)}`;
}
