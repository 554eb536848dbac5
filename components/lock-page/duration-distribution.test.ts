import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateDuration } from "../lock-facts/duration-rating.ts";
import { createHistogramScale } from "./duration-distribution.ts";

const spread = [
  { fromMs: 512, toMs: 724, share: 0.7 },
  { fromMs: 724, toMs: 1024, share: 0 },
  { fromMs: 1024, toMs: 1448, share: 0.3 },
];

describe("hold time distribution", () => {
  it("the distribution has one bar per non-empty range, scaled to the highest", () => {
    const { bars } = createHistogramScale(spread, []);
    expect(bars.map(({ height }) => Math.round(height))).toEqual([100, 43]);
    expect(bars[1]?.left).toBeGreaterThan((bars[0]?.left ?? 0) + (bars[0]?.width ?? 0));
  });

  it("all bars and marks stay inside the plot and in order", () => {
    const times = fc.array(fc.double({ min: 0, max: 1e10, noNaN: true }), { maxLength: 6 });
    fc.assert(
      fc.property(times, fc.boolean(), (marks, isEmpty) => {
        const { toPercent, bars } = createHistogramScale(
          isEmpty ? [] : spread,
          marks.length === 0 ? [1] : marks,
        );
        const places = [...marks].sort((a, b) => a - b).map(toPercent);
        expect(places.every((at) => at >= 0 && at <= 100)).toBe(true);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        for (const { left, width } of bars) expect(left >= 0 && left + width <= 100.001).toBe(true);
      }),
    );
  });

  it("the multiple of the typical time is shown only above p95, with two significant digits", () => {
    const typical = { p50: 1000, p95: 3000, samples: 40 };
    expect(rateDuration(2900, typical)).toEqual({ is: "typical" });
    expect(rateDuration(3100, { ...typical, p50: 2000 })).toEqual({ is: "long" });
    expect(rateDuration(3100, typical)).toEqual({ is: "times", times: "3.1" });
    expect(rateDuration(41_900, typical)).toEqual({ is: "times", times: "41" });
    expect(rateDuration(1_349_000, typical)).toEqual({ is: "times", times: "1,300" });
  });
});
