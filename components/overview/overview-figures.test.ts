import { expect, test } from "vitest";
import type { Stats } from "@/lib/contract/stats.ts";
import { overview } from "@/lib/i18n/en/overview.ts";
import { buildMeasureSeries, describeSeries, detectSeriesRange, formatMeasure } from "./overview-figures.ts";

const POINT = {
  at: 0,
  held: 17,
  waiting: 2,
  needsAttention: 1,
  acquisitionsPerS: 4.2,
  expired: 0,
  waitedMsP95: 96,
};
const NOW = 1_795_216_504_643;
const STATS: Stats = {
  target: "default",
  now: NOW,
  since: NOW - 86_400_000,
  waitsSince: NOW - 3_600_000,
  totals: { held: 17, ended: 0, waiting: 2, needsAttention: 1, byFormat: [], byLiveness: [] },
  series: { stepMs: 10_000, points: [{ ...POINT, at: NOW - 4643 }] },
  top: { contended: [], longestWaits: [], expiredInUse: [], forceReleases: [], evictions: [] },
  patterns: { items: [], total: 0 },
};

function statsOf(...waits: (number | null)[]): Stats {
  const points = waits.map((waitedMsP95, i) => ({
    ...POINT,
    at: STATS.now - (waits.length - i) * 10_000,
    waitedMsP95,
  }));
  return { ...STATS, series: { stepMs: 10_000, points } };
}

test("a figure shows the current value, and its line ends now", () => {
  const { value, olderAt, samples } = buildMeasureSeries(
    { ...STATS, totals: { ...STATS.totals, waiting: 9 } },
    "waiting",
  );
  expect({ value, olderAt }).toEqual({ value: 9, olderAt: null });
  expect(samples.at(-1)).toEqual({ at: STATS.now, value: 9 });
  expect(samples).toHaveLength(2);
});

test("the last measured wait is shown, with its time if it is not current", () => {
  expect(buildMeasureSeries(statsOf(5, 7), "waitedMsP95")).toMatchObject({ value: 7, olderAt: null });
  expect(buildMeasureSeries(statsOf(5, 7, null, null), "waitedMsP95")).toMatchObject({
    value: 7,
    olderAt: STATS.now - 30_000,
  });
  expect(buildMeasureSeries(statsOf(null, null), "waitedMsP95")).toMatchObject({
    value: null,
    olderAt: null,
  });
});

test("the line of a figure is described in a sentence", () => {
  const waits = buildMeasureSeries(statsOf(5, null, 1700), "waitedMsP95");
  expect(describeSeries("waitedMsP95", waits, "hour", overview)).toMatch(
    /^Over the last hour \(data since \d\d:\d\d:\d\d\): between 5 ms and 1\.7 s\.$/,
  );
  expect(describeSeries("held", buildMeasureSeries(STATS, "held"), "day", overview)).toMatch(
    /^Over the last 24 hours .*: constant at 17\.$/,
  );
  expect(
    describeSeries("waitedMsP95", buildMeasureSeries(statsOf(null), "waitedMsP95"), "hour", overview),
  ).toBe("No data in the last hour.");
});

test("small rates have one decimal, and wait times have a unit", () => {
  expect(formatMeasure("acquisitionsPerS", 0.25, overview)).toBe("0.3");
  expect(formatMeasure("acquisitionsPerS", 1182.4, overview)).toBe("1,182");
  expect(formatMeasure("waitedMsP95", 84.4, overview)).toBe("84 ms");
  expect(formatMeasure("held", 1284, overview)).toBe("1,284");
});

test("the range of a series follows from its step", () => {
  expect(detectSeriesRange(STATS)).toBe("hour");
  expect(detectSeriesRange({ ...STATS, series: { ...STATS.series, stepMs: 300_000 } })).toBe("day");
});
