import type { BulkItemResult } from "@/lib/api/bulk-release.ts";
import { type CsvColumns, formatCsvHeader, formatCsvRow } from "@/lib/csv/csv.ts";

const CSV_COLUMNS: CsvColumns<BulkItemResult> = {
  key: ({ item }) => item.key,
  keyBase64: ({ item }) => item.keyBase64,
  outcome: ({ outcome }) => outcome,
  owner: ({ result, now }) => result?.owner ?? now?.holders[0]?.owner,
  fence: ({ result }) => result?.fence,
  heldMs: ({ result }) => result?.heldMs,
  time: ({ result }) => (result === undefined ? undefined : new Date(result.asOf).toISOString()),
  by: ({ result }) => result?.by,
  seenVersion: ({ item }) => item.expectedVersion,
  problem: ({ problem }) => problem?.detail,
};

/**
 * Formats the results as CSV with a header line and one line per lock. For a lock that was not released, the owner
 * column contains the current holder if it is known.
 */
export function formatBulkCsv(lines: readonly BulkItemResult[]): string {
  return formatCsvHeader(CSV_COLUMNS) + lines.map((line) => formatCsvRow(CSV_COLUMNS, line)).join("");
}
