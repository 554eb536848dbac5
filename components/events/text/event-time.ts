import { formatClock, formatClockMs, formatDayClock } from "@/components/ui/format-duration.ts";

function isToday(at: number): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

/** Formats a time of day, with the date if it is not today. */
export function formatShortTime(at: number): string {
  return isToday(at) ? formatClock(at) : formatDayClock(at);
}

/** Formats a time of day with milliseconds. */
export function formatExactTime(at: number): string {
  return isToday(at) ? formatClockMs(at) : formatDayClock(at);
}
