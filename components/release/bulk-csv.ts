import type { BulkItemHeard } from "@/lib/api/bulk-release.ts";
import { type CsvColumns, csvHeadOf, csvLineOf } from "@/lib/csv/csv.ts";

const COLUMNS: CsvColumns<BulkItemHeard> = {
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
export function bulkCsv(lines: readonly BulkItemHeard[]): string {
  return csvHeadOf(COLUMNS) + lines.map((line) => csvLineOf(COLUMNS, line)).join("");
}
