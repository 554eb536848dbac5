import { describe, expect, it } from "vitest";
import { compare, interleave } from "./rounds.ts";
import { median, percentile } from "./statistics.ts";

describe("rounds", () => {
  it("give every contender its turn before the next round begins", async () => {
    const turns: string[] = [];
    await interleave({
      contenders: [{ name: "ours" }, { name: "raw" }],
      rounds: 2,
      measure: async ({ name }) => turns.push(name),
      onProgress: () => undefined,
    });
    expect(turns).toEqual(["ours", "raw", "ours", "raw"]);
  });

  it("compare what stood side by side, so that a slow moment of the machine changes no ratio", () => {
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

describe("statistics", () => {
  it("take the middle, or the mean of the two in the middle", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it("take the value that a share does not exceed", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(percentile(values, 0.5)).toBe(100);
    expect(percentile(values, 0.99)).toBe(198);
    expect(percentile([7], 0.99)).toBe(7);
  });

  it("say so when nothing was measured", () => {
    expect(() => median([])).toThrow("nothing was measured");
    expect(() => percentile([], 0.5)).toThrow("nothing was measured");
  });
});
