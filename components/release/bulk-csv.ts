import type { BulkItemResult } from "@/lib/api/bulk-release.ts";
import { type CsvColumns, formatCsvHeader, formatCsvRow } from "@/lib/csv/csv.ts";

const CSV_COLUMNS: CsvColumns<BulkItemResult> = {
  key: ({ item }) => item.key,
  keyBase64: ({ item }) => item.keyBase64,
  outcome: ({ outcome }) => outcome,
  owner: ({ freed, now }) => freed?.owner ?? now?.holders[0]?.owner,
  fence: ({ freed }) => freed?.fence,
  heldMs: ({ freed }) => freed?.heldMs,
  time: ({ freed }) => (freed === undefined ? undefined : new Date(freed.asOf).toISOString()),
  by: ({ freed }) => freed?.by,
  seenVersion: ({ item }) => item.expect,
  problem: ({ problem }) => problem?.detail,
};

/** What became of each, a line each. Where it was not freed the owner is whoever has it instead. */
export function formatBulkCsv(lines: readonly BulkItemResult[]): string {
  return formatCsvHeader(CSV_COLUMNS) + lines.map((line) => formatCsvRow(CSV_COLUMNS, line)).join("");
}
