import { describe, expect, it } from "vitest";
import type { Line } from "../figure.ts";
import { Report } from "./report.ts";
import { Samples } from "./samples.ts";

const line = (ours: number, vs: Line["vs"] = {}, unit = "ms"): Line => ({
  ...{ figure: "core.a", unit, ours, vs },
  conditions: {},
});

function createSamples(reference: readonly Line[], own: readonly Line[]): Samples {
  const samples = new Samples();
  for (const [at, one] of reference.entries()) samples.add(at + 1, "reference", one);
  for (const [at, one] of own.entries()) samples.add(at + 1, "this", one);
  return samples;
}

describe("Samples", () => {
  it("compares the values and the ratios to each peer", () => {
    const samples = createSamples(
      [line(100, { raw: 0.5 }), line(120, { raw: 0.6 })],
      [line(200, { raw: 1 }), line(180, { raw: 0.9 })],
    );
    const [own, ratio, ...rest] = samples.compareFigure("core.a")?.metrics ?? [];
    expect(rest).toEqual([]);
    expect(own).toMatchObject({
      metric: "ours",
      reference: { median: 110, low: 100, high: 120, values: [100, 120] },
      this: { median: 190, low: 180, high: 200 },
      ratio: { median: 1.75, low: 1.5, high: 2 },
      overlap: false,
    });
    expect(ratio).toMatchObject({ metric: "ours ÷ raw", reference: { median: 0.55 }, overlap: false });
  });

  it("pairs the values of a round, also when a round of one side failed", () => {
    const samples = new Samples();
    samples.add(1, "reference", line(100));
    samples.add(2, "reference", line(400));
    samples.add(2, "this", line(200));
    expect(samples.compareFigure("core.a")?.metrics[0]).toMatchObject({
      ratio: { median: 0.5 },
      overlap: true,
    });
  });

  it("has no ratio to zero, no metric for a peer that one side lacks, and shows both units", () => {
    const comparison = createSamples([line(0)], [line(3, { redlock: 2 }, "µs")]).compareFigure("core.a");
    expect(comparison?.unit).toBe("ms and µs");
    expect(comparison?.metrics).toHaveLength(1);
    expect(comparison?.metrics[0]).not.toHaveProperty("ratio");
  });

  it("has nothing for a figure without a value on one side", () => {
    expect(createSamples([line(1)], []).compareFigure("core.a")).toBeUndefined();
  });
});

describe("Report", () => {
  const reported = (json: boolean, samples: Samples) => {
    const printed: string[] = [];
    const report = new Report("edc7eb8", json, (text) => printed.push(text));
    report.addMissing({ here: ["core.new"], there: ["core.old"] });
    report.add("core.a", samples);
    report.end(samples);
    return printed;
  };

  it("prints rows with both intervals and whether they overlap", () => {
    const there = [100, 110, 105, 105].map((value) => line(value));
    const here = [120, 130, 125, 125].map((value) => line(value));
    const text = reported(false, createSamples(there, here)).join("\n");
    expect(text).toContain("Only in this checkout: core.new.");
    expect(text).toContain("Only in edc7eb8: core.old.");
    expect(text).toContain(
      "| core.a | ms | 105 (100 to 110) | 125 (120 to 130) | 1.19 (1.182 to 1.2) | apart: higher |",
    );
    expect(text).toContain("at least 87.5 % probability");
  });

  it("does not judge fewer than four rounds", () => {
    const text = reported(false, createSamples([line(100)], [line(120)])).join("\n");
    expect(text).toContain("| 1.2 (1.2 to 1.2) | too few rounds |");
  });

  it("prints one JSON object a figure, with the failures", () => {
    const samples = createSamples([line(100)], [line(120)]);
    samples.addFailure(2, "reference", { figure: "core.a", failed: "No grant" });
    const [here, there, figure] = reported(true, samples).map((text) => JSON.parse(text));
    expect([here, there]).toEqual([
      { figure: "core.new", onlyIn: "this" },
      { figure: "core.old", onlyIn: "edc7eb8" },
    ]);
    expect(figure).toMatchObject({ reference: "edc7eb8", figure: "core.a", unit: "ms" });
    expect(figure.metrics[0]).toMatchObject({ reference: { median: 100 }, this: { median: 120 } });
    expect(figure.failures).toEqual([{ figure: "core.a", failed: "No grant", side: "reference", round: 2 }]);
  });

  it("prints a row for a figure without values, and the failures at the end", () => {
    const samples = new Samples();
    samples.addFailure(1, "this", { figure: "core.a", failed: "No grant" });
    const text = reported(false, samples).join("\n");
    expect(text).toContain("| core.a | – | – | – | – | no value on both sides |");
    expect(text).toContain("FAILED core.a: No grant (this checkout, round 1)");
  });
});
