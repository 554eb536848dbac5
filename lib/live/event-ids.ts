import type { HistoryEntry } from "@/lib/contract/event.ts";

const STORED_ID = /^(\d{1,15})-(\d{1,15})$/;
/** Maximum number of entries that the home store records in one millisecond. */
const IDS_PER_MS = 1_000_000n;

/**
 * Returns whether an event is stored. The ids of live-only events and of events not recorded yet have a different form.
 */
export function isStored({ id }: HistoryEntry): boolean {
  return STORED_ID.test(id);
}

/** Returns a number that orders entries by their position in the history, or `undefined` if the entry is not stored. */
export function toSortableId(entry: HistoryEntry | undefined): bigint | undefined {
  const [, ms, seq] = STORED_ID.exec(entry?.id ?? "") ?? [];
  return ms === undefined || seq === undefined ? undefined : BigInt(ms) * IDS_PER_MS + BigInt(seq);
}

/**
 * Returns the time in the id of a stored event, in Unix milliseconds. Returns `undefined` for all other ids.
 */
export function parseIdTime(id: string): number | undefined {
  const [, ms] = STORED_ID.exec(id) ?? [];
  return ms === undefined ? undefined : Number(ms);
}
