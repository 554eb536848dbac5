import { rounded } from "../figure.ts";
import type { Interval } from "../statistics.ts";
import type { Comparison, Metric } from "./samples.ts";

const NOTHING = "–";
/** That of four rounds. With fewer, intervals that are apart prove nothing. */
const CONFIDENCE_LEAST = 0.875;

/** The head of the table. Rows follow as the figures are done. */
export function headOf(label: string): string {
  const cells = ["figure", "unit", label, "this checkout", `this ÷ ${label}`, "intervals"];
  return [cells, cells.map(() => "---")].map(rowOf).join("\n");
}

export function rowsOf({ figure, unit, metrics }: Comparison): string {
  return metrics
    .map((metric) => {
      const isOwn = metric.metric === "ours";
      return rowOf([
        isOwn ? figure : `${figure}, ${metric.metric}`,
        isOwn ? unit : "ratio",
        ...cellsOf(metric),
      ]);
    })
    .join("\n");
}

/** A row for a figure that has no value on one side or on both. */
export function emptyRowOf(figure: string, why: string): string {
  return rowOf([figure, NOTHING, NOTHING, NOTHING, NOTHING, why]);
}

/** What the intervals are, with their confidence. */
export function legendOf(metrics: readonly Metric[]): string {
  if (metrics.length === 0) return "No figure was measured on both sides.";
  const percent = Math.floor(Math.min(...metrics.map(confidenceOf)) * 1000) / 10;
  return `Each cell is the median of the rounds with an interval that contains the true median with at least ${percent} % probability, if the rounds are independent.`;
}

function cellsOf(metric: Metric): string[] {
  const { reference, this: own, ratio, overlap } = metric;
  const apart = own.median > reference.median ? "apart: higher" : "apart: lower";
  const verdict = confidenceOf(metric) < CONFIDENCE_LEAST ? "too few rounds" : overlap ? "overlap" : apart;
  return [cellOf(reference), cellOf(own), ratio ? cellOf(ratio) : NOTHING, verdict];
}

function confidenceOf({ reference, this: own }: Metric): number {
  return Math.min(reference.confidence, own.confidence);
}

function cellOf({ median, low, high }: Interval): string {
  return `${rounded(median)} (${rounded(low)} to ${rounded(high)})`;
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
