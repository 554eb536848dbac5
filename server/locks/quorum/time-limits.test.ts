import { describe, expect, it } from "vitest";
import { getCurrentMoment } from "../../../lib/client/moment.ts";
import { computeBudgetMs, computeCertainMs, computeSplitPauseMs, computeValidityMs } from "./time-limits.ts";

describe("time budget per master", () => {
  it("the time budget of a master is a quarter of the lease, between 50 ms and 400 ms", () => {
    expect([10, 200, 1000, 1600, 30_000].map(computeBudgetMs)).toEqual([50, 50, 250, 400, 400]);
  });
});

describe("guaranteed validity of a hold", () => {
  it("the guaranteed validity is reduced by 1% and 2 ms for clock drift", () => {
    expect(computeCertainMs(10_000)).toBe(9898);
    expect(computeCertainMs(1)).toBeLessThan(0);
  });

  it("the guaranteed validity is reduced by the time elapsed since the request, on the faster clock", () => {
    const { monotonic, wall } = getCurrentMoment();
    const passed = { monotonic: monotonic - 3000, wall };
    const suspended = { monotonic, wall: wall - 5000 };
    expect(computeValidityMs(passed, 10_000)).toBeLessThanOrEqual(6898);
    expect(computeValidityMs(passed, 10_000)).toBeGreaterThan(6700);
    expect(computeValidityMs(suspended, 10_000)).toBeLessThanOrEqual(4898);
    expect(computeValidityMs(passed, 3000)).toBeLessThan(0);
  });
});

describe("pause after a split vote", () => {
  const longest = (splits: number, roundMs: number) =>
    Math.max(...Array.from({ length: 2000 }, () => computeSplitPauseMs(splits, roundMs)));

  it("the pause after a split vote is random and doubles with each split up to 100 ms", () => {
    expect(longest(0, 0)).toBeLessThanOrEqual(4);
    expect(longest(3, 0)).toBeGreaterThan(16);
    expect(longest(3, 0)).toBeLessThanOrEqual(32);
    expect(longest(40, 10)).toBeLessThanOrEqual(100);
  });

  it("the pause after a split vote grows with the duration of a round", () => {
    expect(longest(0, 30)).toBeGreaterThan(40);
    expect(longest(0, 30)).toBeLessThanOrEqual(60);
  });
});
