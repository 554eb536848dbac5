/** The result of running the suites on one server. */
export type ServerResult =
  | {
      readonly outcome: "passed" | "failed";
      readonly name: string;
      readonly version: string;
      readonly passed: number;
      readonly failed: number;
      readonly skipped: number;
      readonly seconds: number;
    }
  | { readonly outcome: "skipped"; readonly name: string; readonly reason: string };

const HEADER = ["server", "version", "passed", "failed", "skipped", "seconds"] as const;

/** Formats the outcome for one server, with the reason if the server was not available. */
export function formatOutcome(result: ServerResult): string {
  const reason = result.outcome === "skipped" ? ` (${result.reason})` : "";
  return `${result.name}: ${result.outcome}${reason}`;
}

/** Formats the results of all servers as a table with aligned columns. */
export function formatTable(results: readonly ServerResult[]): string {
  const rows = [HEADER, ...results.map(toRow)];
  const widths = HEADER.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const format = (row: readonly string[]) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return rows.map((row) => format(row).trimEnd()).join("\n");
}

function toRow(result: ServerResult): readonly string[] {
  if (result.outcome === "skipped") return [result.name, "-", "-", "-", "-", "-"];
  const { name, version, passed, failed, skipped, seconds } = result;
  return [name, version, ...[passed, failed, skipped, Math.round(seconds)].map(String)];
}

/**
 * Counts the servers whose suites passed and failed. An unavailable server counts as failed unless `skipping` is
 * "allowed".
 */
export function countServers(
  results: readonly ServerResult[],
  skipping: "fails" | "allowed",
): { passed: number; failed: number } {
  const count = (outcome: ServerResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  return { passed: count("passed"), failed: count("failed") + (skipping === "fails" ? count("skipped") : 0) };
}
