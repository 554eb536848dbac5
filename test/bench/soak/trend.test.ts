import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeTrend } from "./trend.ts";

const noise = (amplitude: number) => (at: number) => amplitude * Math.sin(at * at * 7.3);

describe("soak trend", () => {
  it("the trend is flat when values only scatter", () => {
    const values = Array.from({ length: 30 }, (_, at) => 100 + noise(8)(at));
    expect(computeTrend(values).is).toBe("flat");
  });

  it("the trend is rising when a leak exceeds the noise", () => {
    const values = Array.from({ length: 30 }, (_, at) => 100 + at / 2 + noise(4)(at));
    expect(computeTrend(values)).toMatchObject({ is: "rising" });
    expect(computeTrend(values).rise).toBeCloseTo(14.5, -1);
  });

  it("the trend is falling when values decrease", () => {
    expect(computeTrend([100, 90, 80, 70]).is).toBe("falling");
  });

  it("the rise of a straight line equals its total increase, whatever its start value", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 100 }),
        fc.integer({ min: -1000, max: 1000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (count, step, from) => {
          const { rise } = computeTrend(Array.from({ length: count }, (_, at) => from + at * step));
          expect(rise).toBeCloseTo(step * (count - 1), 3);
        },
      ),
    );
  });
});
