import { formatClock, formatClockMs, formatDayClock } from "@/components/ui/format-duration.ts";

function isToday(at: number): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

/** The clock, with the day before it where that is another than today. */
export function formatShortTime(at: number): string {
  return isToday(at) ? formatClock(at) : formatDayClock(at);
}

/** To the millisecond, where it is of today. */
export function formatExactTime(at: number): string {
  return isToday(at) ? formatClockMs(at) : formatDayClock(at);
}
