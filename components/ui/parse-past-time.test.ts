import { describe, expect, it } from "vitest";
import { parsePastTime } from "./parse-past-time.ts";

/** Local time, so that the test holds in every time zone. */
const NOW = new Date(2026, 10, 23, 10, 30, 0).getTime();
const MINUTE_MS = 60_000;

describe("times in the past", () => {
  it("a clock time is the latest such time, of today or of yesterday", () => {
    expect(parsePastTime("10:25", NOW)).toBe(NOW - 5 * MINUTE_MS);
    expect(parsePastTime(" 10:29:59.5 ", NOW)).toBe(NOW - 500);
    expect(parsePastTime("10:30:01", NOW)).toBe(new Date(2026, 10, 22, 10, 30, 1).getTime());
  });

  it("a date with a time, and a time ago", () => {
    expect(parsePastTime("2026-11-20 09:00:00", NOW)).toBe(new Date(2026, 10, 20, 9).getTime());
    expect(parsePastTime("2026-11-20T09:00", NOW)).toBe(new Date(2026, 10, 20, 9).getTime());
    for (const text of ["5m", "5 m", "5 m ago", "-5m"])
      expect(parsePastTime(text, NOW)).toBe(NOW - 5 * MINUTE_MS);
    expect(parsePastTime("1.5h", NOW)).toBe(NOW - 90 * MINUTE_MS);
  });

  it("what is no time, or is in the future, is none", () => {
    for (const text of ["", "noon", "25:00", "10:61", "2026-11-24 09:00:00", "2026-13-01 09:00", "5"])
      expect(parsePastTime(text, NOW)).toBeUndefined();
  });
});
