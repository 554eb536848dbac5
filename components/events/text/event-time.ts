import { formatClock, formatClockMs, formatDayClock } from "@/components/ui/format-duration.ts";

function isToday(at: number): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

/** Formats a time to the second. Includes the date unless the time is today. */
export function formatShortTime(at: number): string {
  return isToday(at) ? formatClock(at) : formatDayClock(at);
}

/** Formats a time of today to the millisecond. Formats any other time to the second, with the date. */
export function formatExactTime(at: number): string {
  return isToday(at) ? formatClockMs(at) : formatDayClock(at);
}
