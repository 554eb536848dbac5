import type { HistoryEntry } from "@/lib/contract/event.ts";

const STORED_ID = /^(\d{1,15})-(\d{1,15})$/;
/** More entries than that have never had one millisecond of the home store. */
const IDS_PER_MS = 1_000_000n;

/** What is only live, or not recorded yet, has an id of another kind. */
export function isStored({ id }: HistoryEntry): boolean {
  return STORED_ID.test(id);
}

/** Its place in the order of the history; undefined: it has none. */
export function toSortableId(entry: HistoryEntry | undefined): bigint | undefined {
  const [, ms, seq] = STORED_ID.exec(entry?.id ?? "") ?? [];
  return ms === undefined || seq === undefined ? undefined : BigInt(ms) * IDS_PER_MS + BigInt(seq);
}

/** The moment at which an id was given, Unix milliseconds; undefined: it is none. */
export function parseIdTime(id: string): number | undefined {
  const [, ms] = STORED_ID.exec(id) ?? [];
  return ms === undefined ? undefined : Number(ms);
}
