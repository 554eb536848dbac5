import { describe, expect, it } from "vitest";
import { compareMedians, interleave } from "./rounds.ts";
import {
  computeMedian,
  computeMedianInterval,
  computePercentile,
  type Interval,
  isOverlapping,
} from "./statistics.ts";

describe("interleave and compare", () => {
  it("measure every contender before the next round begins", async () => {
    const turns: string[] = [];
    await interleave({
      contenders: [{ name: "ours" }, { name: "raw" }],
      rounds: 2,
      measure: async ({ name }) => turns.push(name),
      onProgress: () => undefined,
    });
    expect(turns).toEqual(["ours", "raw", "ours", "raw"]);
  });

  it("go on without a peer that failed", async () => {
    const failed: Record<string, string> = {};
    const turns: string[] = [];
    const rounds = await interleave({
      contenders: [{ name: "ours" }, { name: "raw" }, { name: "redlock" }],
      rounds: 2,
      warmUp: async ({ name }) => {
        if (name === "redlock") throw new Error("cannot connect");
      },
      measure: async ({ name }) => {
        turns.push(name);
        if (name === "raw" && turns.length > 2) throw new Error("No grant");
        return 1;
      },
      onProgress: () => undefined,
      failed,
    });
    expect(turns).toEqual(["ours", "raw", "ours", "raw"]);
    expect(failed).toEqual({ redlock: "cannot connect", raw: "No grant" });
    expect([...rounds]).toEqual([["ours", [1, 1]]]);
  });

  it.each([
    ["ours fails", "ours", {}],
    ["a peer fails where none may", "raw", undefined],
  ])("end when %s", async (_, broken, failed) => {
    const rounds = interleave({
      contenders: [{ name: "ours" }, { name: "raw" }],
      rounds: 1,
      measure: async ({ name }) => {
        if (name === broken) throw new Error("No grant");
      },
      onProgress: () => undefined,
      ...(failed === undefined ? {} : { failed }),
    });
    await expect(rounds).rejects.toThrow("No grant");
  });

  it("compare values of the same round, so that a slow moment of the machine changes no ratio", () => {
    const rounds = new Map([
      ["ours", [80, 8, 88]],
      ["raw", [100, 10, 110]],
    ]);
    expect(compareMedians(rounds, (value) => value)).toEqual({
      ours: 80,
      vs: { raw: 0.8 },
      theirs: { raw: 100 },
    });
  });
});

describe("benchmark statistics", () => {
  it("the median is the middle value, or the mean of the two middle values", () => {
    expect(computeMedian([3, 1, 2])).toBe(2);
    expect(computeMedian([4, 1, 3, 2])).toBe(2.5);
  });

  it("a percentile is the value that the given share of samples does not exceed", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(computePercentile(values, 0.5)).toBe(100);
    expect(computePercentile(values, 0.99)).toBe(198);
    expect(computePercentile([7], 0.99)).toBe(7);
  });

  it("enclose the median with 95 % probability from six values on", () => {
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => count - index);
    expect(computeMedianInterval(upTo(5))).toEqual({ median: 3, low: 1, high: 5, confidence: 0.9375 });
    expect(computeMedianInterval(upTo(6))).toMatchObject({ low: 1, high: 6, confidence: 0.96875 });
    expect(computeMedianInterval(upTo(9))).toMatchObject({ median: 5, low: 2, high: 8 });
    expect(computeMedianInterval(upTo(20))).toMatchObject({ low: 6, high: 15 });
    expect(computeMedianInterval([7])).toEqual({ median: 7, low: 7, high: 7, confidence: 0 });
  });

  it("know whether intervals overlap", () => {
    const [low, middle, high] = [
      [1, 2],
      [2, 3],
      [4, 5],
    ].map(computeMedianInterval) as [Interval, Interval, Interval];
    expect(isOverlapping(low, middle)).toBe(true);
    expect(isOverlapping(high, middle)).toBe(false);
    expect(isOverlapping(low, high)).toBe(false);
  });

  it("the median and the percentile of no samples throw an error", () => {
    expect(() => computeMedian([])).toThrow("nothing was measured");
    expect(() => computePercentile([], 0.5)).toThrow("nothing was measured");
  });
});
