import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSparkPath, findNearestSample, thinSamples } from "./spark-path.ts";

const FRAME = { from: 1000, to: 2000, width: 100, height: 20 };

test("a sparkline spans the whole range, and its largest value touches the top", () => {
  const samples = [
    { at: 1500, value: 5 },
    { at: 1750, value: 10 },
    { at: 2000, value: 0 },
  ];
  expect(buildSparkPath(samples, FRAME)).toBe("M50 10h0L75 0L100 20");
});

test("a sparkline breaks at missing samples and draws a single sample as a dot", () => {
  const samples = [
    { at: 1000, value: 4 },
    { at: 1250, value: null },
    { at: 1500, value: 4 },
    { at: 1750, value: null },
    { at: 2000, value: 2 },
  ];
  expect(buildSparkPath(samples, FRAME)).toBe("M0 0h0M50 0h0M100 10h0");
});

test("a sparkline of zeros lies at the bottom", () => {
  expect(
    buildSparkPath(
      [
        { at: 1000, value: 0 },
        { at: 2000, value: 0 },
      ],
      FRAME,
    ),
  ).toBe("M0 20h0L100 20");
});

test("a sparkline without samples in the range is empty", () => {
  expect(buildSparkPath([], FRAME)).toBe("");
  expect(buildSparkPath([{ at: 999, value: 1 }], FRAME)).toBe("");
  expect(buildSparkPath([{ at: 2001, value: 1 }], FRAME)).toBe("");
});

test("no point of a sparkline lies outside the frame", () => {
  const sample = fc.record({
    at: fc.integer({ min: 0, max: 3000 }),
    value: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(sample), (samples) => {
      for (const [, x, y] of buildSparkPath(samples, FRAME).matchAll(/[ML](\S+) ([^MLh]+)/g)) {
        expect(Number(x)).toBeGreaterThanOrEqual(0);
        expect(Number(x)).toBeLessThanOrEqual(FRAME.width);
        expect(Number(y)).toBeGreaterThanOrEqual(0);
        expect(Number(y)).toBeLessThanOrEqual(FRAME.height);
      }
    }),
  );
});

test("samples too close together merge into their maximum or mean, and gaps remain", () => {
  const samples = [
    { at: 1000, value: 1 },
    { at: 1040, value: 9 },
    { at: 1080, value: 2 },
    { at: 1100, value: null },
    { at: 1210, value: null },
    { at: 1250, value: 5 },
  ];
  expect(thinSamples(samples, 100, "largest")).toEqual([
    { at: 1080, value: 9 },
    { at: 1100, value: null },
    { at: 1250, value: 5 },
  ]);
  expect(thinSamples(samples, 100, "mean")[0]).toEqual({ at: 1080, value: 4 });
  expect(thinSamples([], 100, "mean")).toEqual([]);
});

test("the pointer selects the nearest sample, also across a gap", () => {
  const samples = [
    { at: 1000, value: 1 },
    { at: 1500, value: null },
    { at: 2000, value: 2 },
  ];
  expect(findNearestSample(samples, 1400)).toEqual(samples[0]);
  expect(findNearestSample(samples, 1600)).toEqual(samples[2]);
  expect(findNearestSample([{ at: 1, value: null }], 1)).toBeUndefined();
});
