import { type Facts, type Failure, formatFailure, type Line } from "./figure.ts";
import { THRESHOLDS, type Threshold } from "./thresholds.ts";

/** Formats a run as a Markdown table. Facts about the machine precede it, and failures follow it. */
export function formatTable(lines: readonly Line[], failures: readonly Failure[] = []): string {
  const rows = lines.map((line) => [
    line.figure,
    line.unit,
    String(line.ours),
    formatRatios(line),
    formatThresholds(line),
  ]);
  return [
    formatMachine(lines[0]?.conditions ?? {}),
    "",
    ...[["figure", "unit", "ours", "ours ÷ theirs (theirs)", "bar"], Array(5).fill("---"), ...rows].map(
      (cells) => `| ${cells.join(" | ")} |`,
    ),
    "",
    ...listLeftOut(lines),
    ...failures.map(formatFailure),
  ].join("\n");
}

function formatMachine({ cpu, cores, node, redis, ioredis, effort, system, load1m }: Facts): string {
  if (cores === undefined) return "No figure was measured.";
  return `${cores} cores, ${cpu}, ${system}; Node ${node}, ioredis ${ioredis}, Redis ${redis}; effort ${effort}; load ${load1m} at the start`;
}

function formatRatios({ vs, conditions }: Line): string {
  const theirs = Object(conditions.theirs) as Record<string, number | undefined>;
  return Object.entries(vs)
    .map(([name, ratio]) => `${name} ${ratio}${theirs[name] === undefined ? "" : ` (${theirs[name]})`}`)
    .join(", ");
}

function formatThresholds(line: Line): string {
  return (THRESHOLDS[line.figure] ?? []).map((bar) => formatThreshold(line, bar)).join("; ");
}

function formatThreshold({ ours, vs }: Line, { of, least, most, goal }: Threshold): string {
  const value = of === "ours" ? ours : vs[of];
  const further = goal === undefined ? "" : `, goal ${goal}`;
  const bound = `${least === undefined ? `≤ ${most}` : `≥ ${least}`}${further}`;
  const asked = `${of === "ours" ? "" : `${of} `}${bound}`;
  if (value === undefined) return `${asked}: not measured`;
  return `${asked}: ${value >= (least ?? -Infinity) && value <= (most ?? Infinity) ? "reached" : "MISSED"}`;
}

function listLeftOut(lines: readonly Line[]): string[] {
  const leftOut = Object.assign({}, ...lines.map(({ conditions }) => conditions.leftOut ?? {})) as Facts;
  return Object.entries(leftOut).map(([name, why]) => `Left out: ${name} (${why}).`);
}
