import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DayCounts } from "./day-counts.ts";
import { DecayingHistogram, HALF_LIFE_MS, LogHistogram } from "./log-histogram.ts";

const HOUR = 60 * 60 * 1000;
const NOW = 1_795_216_496_123;

describe("histogram of durations", () => {
  it("quantiles deviate by at most 4.5% and half a millisecond from the exact value", () => {
    const times = fc.array(fc.integer({ min: 1, max: 86_400_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95, 0.99), (all, share) => {
        const histogram = new LogHistogram();
        for (const ms of all) histogram.add(ms);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
        const estimated = histogram.quantile(share) ?? 0;
        // Quantiles are rounded to whole milliseconds.
        expect(Math.abs(estimated - exact)).toBeLessThanOrEqual(exact * 0.045 + 0.56);
      }),
    );
  });

  it("the distribution covers every sample in contiguous buckets whose shares sum to 1", () => {
    const times = fc.array(fc.integer({ min: 0, max: 86_400_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, (all) => {
        const histogram = new LogHistogram();
        for (const ms of all) histogram.add(ms);
        const spread = histogram.toBuckets();
        expect(spread.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
        for (const [at, { fromMs, toMs, share }] of spread.entries()) {
          expect(spread[at + 1]?.fromMs ?? toMs).toBe(toMs);
          const inside = all.filter((ms) => ms >= Math.floor(fromMs) && ms <= Math.ceil(toMs)).length;
          expect(share * all.length).toBeLessThanOrEqual(inside + 1e-9);
        }
        expect([spread[0]?.share, spread.at(-1)?.share]).not.toContain(0);
      }),
    );
    expect(new LogHistogram().toBuckets()).toEqual([]);
  });

  it("an empty histogram has no quantiles, and any number can be added", () => {
    const histogram = new LogHistogram();
    expect(histogram.quantile(0.5)).toBeNull();
    for (const ms of [Number.NaN, -5, 0, Number.POSITIVE_INFINITY]) histogram.add(ms);
    expect(histogram.total).toBe(4);
    expect(histogram.quantile(0.5)).toBe(0);
  });

  it("samples fade: those a day old hardly count, even after weeks", () => {
    const histogram = new DecayingHistogram(NOW);
    for (let time = 0; time < 1000; time++) histogram.add(60_000, NOW);
    const later = NOW + 24 * HOUR;
    for (let time = 0; time < 100; time++) histogram.add(100, later);
    expect(histogram.quantile(0.5)).toBeCloseTo(100, -1);
    expect(histogram.countSamplesAt(later)).toBeCloseTo(1000 / 16 + 100, 0);
    const muchLater = later + 100 * HALF_LIFE_MS;
    histogram.add(5000, muchLater);
    expect(histogram.countSamplesAt(muchLater)).toBeCloseTo(1, 5);
    expect(histogram.quantile(0.5)).toBeGreaterThan(4780);
  });
});

describe("daily counts", () => {
  it("daily counts cover the last 24 hours, in whatever order events arrive", () => {
    const events = fc.array(fc.integer({ min: 0, max: 100 * HOUR }), { maxLength: 100 });
    fc.assert(
      fc.property(events, (agos) => {
        const counts = new DayCounts(["a", "b"], NOW - 200 * HOUR);
        for (const ago of agos) counts.add("a", NOW - ago);
        const hour = Math.floor(NOW / HOUR);
        const within = agos.filter((ago) => Math.floor((NOW - ago) / HOUR) > hour - 24).length;
        expect(counts.sum("a", NOW)).toBe(within);
        expect(counts.sum("b", NOW)).toBe(0);
        expect(counts.sum("a", NOW + 24 * HOUR)).toBe(0);
      }),
    );
  });
});
