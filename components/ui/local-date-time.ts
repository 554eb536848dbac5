const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** As an input of date and time wants it: local time without a zone. */
export function toLocalDateTime(at: number): string {
  const offsetMs = new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(at - offsetMs).toISOString().slice(0, 19);
}

/** undefined: it is empty, or no moment. */
export function parseLocalDateTime(text: string): number | undefined {
  const moment = new Date(text).getTime();
  return Number.isNaN(moment) ? undefined : moment;
}

/** A moment is given to the second, and all of that is meant. */
export function toEndOfSecond(at: number): number {
  return Math.floor(at / SECOND_MS) * SECOND_MS + SECOND_MS - 1;
}
