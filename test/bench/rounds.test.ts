import { describe, expect, it } from "vitest";
import { compare, interleave } from "./rounds.ts";
import { median, percentile } from "./statistics.ts";

describe("benchmark rounds", () => {
  it("every contender takes its turn before the next round begins", async () => {
    const turns: string[] = [];
    await interleave({
      contenders: [{ name: "ours" }, { name: "raw" }],
      rounds: 2,
      measure: async ({ name }) => turns.push(name),
      onProgress: () => undefined,
    });
    expect(turns).toEqual(["ours", "raw", "ours", "raw"]);
  });

  it("ratios compare values of the same round, so a slow moment of the machine does not change them", () => {
    const rounds = new Map([
      ["ours", [80, 8, 88]],
      ["raw", [100, 10, 110]],
    ]);
    expect(compare(rounds, (value) => value)).toEqual({
      ours: 80,
      vs: { raw: 0.8 },
      theirs: { raw: 100 },
    });
  });
});

describe("benchmark statistics", () => {
  it("the median is the middle value, or the mean of the two middle values", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it("a percentile is the value that the given share of samples does not exceed", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(percentile(values, 0.5)).toBe(100);
    expect(percentile(values, 0.99)).toBe(198);
    expect(percentile([7], 0.99)).toBe(7);
  });

  it("the median and the percentile of no samples throw an error", () => {
    expect(() => median([])).toThrow("nothing was measured");
    expect(() => percentile([], 0.5)).toThrow("nothing was measured");
  });
});
