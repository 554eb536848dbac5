import { roundValue } from "../figure.ts";
import type { Interval } from "../statistics.ts";
import type { Comparison, Metric } from "./samples.ts";

const NOTHING = "–";
/**
 * Minimum confidence, 0 to 1, for a verdict on two intervals: that of four rounds. With fewer rounds, intervals that do
 * not overlap prove nothing.
 */
const CONFIDENCE_LEAST = 0.875;

/** Formats the header of the Markdown table. The rows are printed later, as figures are completed. */
export function formatHeader(label: string): string {
  const cells = ["figure", "unit", label, "this checkout", `this ÷ ${label}`, "intervals"];
  return [cells, cells.map(() => "---")].map(formatRow).join("\n");
}

export function formatRows({ figure, unit, metrics }: Comparison): string {
  return metrics
    .map((metric) => {
      const isOwn = metric.metric === "ours";
      return formatRow([
        isOwn ? figure : `${figure}, ${metric.metric}`,
        isOwn ? unit : "ratio",
        ...formatCells(metric),
      ]);
    })
    .join("\n");
}

/** Formats the row of a figure that lacks a value in at least one checkout. */
export function formatEmptyRow(figure: string, why: string): string {
  return formatRow([figure, NOTHING, NOTHING, NOTHING, NOTHING, why]);
}

/** Formats the paragraph that explains the intervals and their confidence. */
export function formatLegend(metrics: readonly Metric[]): string {
  if (metrics.length === 0) return "No figure was measured on both sides.";
  const percent = Math.floor(Math.min(...metrics.map(getConfidence)) * 1000) / 10;
  return `Each cell is the median of the rounds with an interval that contains the true median with at least ${percent} % probability, if the rounds are independent.`;
}

function formatCells(metric: Metric): string[] {
  const { reference, this: own, ratio, overlap } = metric;
  const apart = own.median > reference.median ? "apart: higher" : "apart: lower";
  const verdict = getConfidence(metric) < CONFIDENCE_LEAST ? "too few rounds" : overlap ? "overlap" : apart;
  return [formatCell(reference), formatCell(own), ratio ? formatCell(ratio) : NOTHING, verdict];
}

function getConfidence({ reference, this: own }: Metric): number {
  return Math.min(reference.confidence, own.confidence);
}

function formatCell({ median, low, high }: Interval): string {
  return `${roundValue(median)} (${roundValue(low)} to ${roundValue(high)})`;
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
