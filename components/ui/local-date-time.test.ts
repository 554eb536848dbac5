import { expect, it } from "vitest";
import { formatZone, parseLocalDateTime, toLocalDateTime } from "./local-date-time.ts";

const NOW = new Date(2026, 10, 21, 21, 5, 1).getTime();

it("a time is shown and read on a clock of 24 hours, in the zone of the browser", () => {
  expect(toLocalDateTime(NOW)).toBe("2026-11-21 21:05:01");
  expect(parseLocalDateTime("2026-11-21 21:05:01")).toBe(NOW);
  expect(parseLocalDateTime("2026-11-21T21:05:01")).toBe(NOW);
  expect(formatZone(NOW)).not.toBe("");
});

it.each([
  ["9:30", new Date(2026, 10, 21, 9, 30)],
  [" 09:30:15 ", new Date(2026, 10, 21, 9, 30, 15)],
  ["11-20 23:59", new Date(2026, 10, 20, 23, 59)],
  ["2025-01-02", new Date(2025, 0, 2)],
])("%s is completed with the date of today and the start of the day", (text, expected) => {
  expect(parseLocalDateTime(text, NOW)).toBe(expected.getTime());
});

it.each([
  "",
  "  ",
  "soon",
  "24:00",
  "12:60",
  "12:00:60",
  "2026-02-31 12:00",
  "13-01 10:00",
  "2026-11-21 9",
  "9:30 PM",
])("%j is no time", (text) => {
  expect(parseLocalDateTime(text, NOW)).toBeUndefined();
});
