import { describe, expect, it } from "vitest";
import { momentNow } from "../verbs/moment.ts";
import { budgetMsOf, certainMs, pauseAfterSplit, validityMs } from "./time-limits.ts";

describe("the budget of a master", () => {
  it("is a quarter of the lease, but at least 50 ms and at most 400 ms", () => {
    expect([10, 200, 1000, 1600, 30_000].map(budgetMsOf)).toEqual([50, 50, 250, 400, 400]);
  });
});

describe("what is certain of a hold", () => {
  it("is less by a hundredth and two milliseconds, for clocks that run apart", () => {
    expect(certainMs(10_000)).toBe(9898);
    expect(certainMs(1)).toBeLessThan(0);
  });

  it("is less by the time that has passed since it was asked for, on whichever clock ran further", () => {
    const { monotonic, wall } = momentNow();
    const passed = { monotonic: monotonic - 3000, wall };
    const suspended = { monotonic, wall: wall - 5000 };
    expect(validityMs(passed, 10_000)).toBeLessThanOrEqual(6898);
    expect(validityMs(passed, 10_000)).toBeGreaterThan(6700);
    expect(validityMs(suspended, 10_000)).toBeLessThanOrEqual(4898);
    expect(validityMs(passed, 3000)).toBeLessThan(0);
  });
});

describe("the pause after votes were split", () => {
  const longest = (splits: number, roundMs: number) =>
    Math.max(...Array.from({ length: 2000 }, () => pauseAfterSplit(splits, roundMs)));

  it("is left to chance, in a stretch that doubles, up to a tenth of a second", () => {
    expect(longest(0, 0)).toBeLessThanOrEqual(4);
    expect(longest(3, 0)).toBeGreaterThan(16);
    expect(longest(3, 0)).toBeLessThanOrEqual(32);
    expect(longest(40, 10)).toBeLessThanOrEqual(100);
  });

  it("has room for rounds that take long", () => {
    expect(longest(0, 30)).toBeGreaterThan(40);
    expect(longest(0, 30)).toBeLessThanOrEqual(60);
  });
});
