import { expect, it } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

it.each([
  [0, "0ms"],
  [250, "250ms"],
  [999.4, "999ms"],
  [1000, "1s"],
  [59_999, "59s"],
  [303_000, "5m 3s"],
  [3_600_000, "1h"],
  [187_200_000, "2d 4h"],
  [-5, "0ms"],
])("%d ms is formatted as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  ["250ms", 250],
  ["30s", 30_000],
  ["1.5m", 90_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(["", "30", "s", "-1s", "1e3s", "30 s", "30S", "1w", "1234567890123s"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
