import type { HistoryEntry } from "@/lib/contract/event.ts";

const KEPT = /^(\d{1,15})-(\d{1,15})$/;
/** More entries than that have never had one millisecond of the home store. */
const A_MILLISECOND = 1_000_000n;

/** What is only live, or not recorded yet, has an id of another kind. */
export function isKept({ id }: HistoryEntry): boolean {
  return KEPT.test(id);
}

/** Its place in the order of the history; undefined: it has none. */
export function idOf(entry: HistoryEntry | undefined): bigint | undefined {
  const [, ms, seq] = KEPT.exec(entry?.id ?? "") ?? [];
  return ms === undefined || seq === undefined ? undefined : BigInt(ms) * A_MILLISECOND + BigInt(seq);
}

/** The moment at which an id was given, Unix milliseconds; undefined: it is none. */
export function momentOfId(id: string): number | undefined {
  const [, ms] = KEPT.exec(id) ?? [];
  return ms === undefined ? undefined : Number(ms);
}
