import { formatClock, formatClockMs, formatDayClock } from "@/components/ui/format-duration.ts";

function isToday(at: number): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

/** Formats a time to the second, with the date unless it is today. */
export function formatShortTime(at: number): string {
  return isToday(at) ? formatClock(at) : formatDayClock(at);
}

/** Formats a time to the millisecond if it is today. Otherwise, formats it to the second with its date. */
export function formatExactTime(at: number): string {
  return isToday(at) ? formatClockMs(at) : formatDayClock(at);
}
