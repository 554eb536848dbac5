import type { HistoryEntry } from "@/lib/contract/event.ts";

/** Renewals that followed each other without anything else between. */
export interface RenewalGroup {
  readonly id: string;
  readonly count: number;
  readonly locks: number;
}

export type SettledLine = { readonly entry: HistoryEntry } | { readonly renewals: RenewalGroup };

/**
 * The newest lines of a stream, the newest first. Renewals are as normal as breathing: all that follow each other are one
 * line, so that they bury nothing. One by an operator (`by`) is told by itself.
 *
 * @param entries oldest first
 */
export function collapseRenewals(entries: readonly HistoryEntry[], most: number): SettledLine[] {
  const lines: SettledLine[] = [];
  for (let at = entries.length - 1; at >= 0 && lines.length < most; at--) {
    const entry = entries[at];
    if (entry === undefined) continue;
    if (!isOrdinaryRenewal(entry)) {
      lines.push({ entry });
      continue;
    }
    const keys = new Set<string>();
    let first = at;
    for (let each = entry; isOrdinaryRenewal(each); ) {
      keys.add(each.key);
      const before = entries[first - 1];
      if (before === undefined || !isOrdinaryRenewal(before)) break;
      first--;
      each = before;
    }
    const id = entries[first]?.id ?? entry.id;
    lines.push({ renewals: { id: `renewals ${id}`, count: at - first + 1, locks: keys.size } });
    at = first;
  }
  return lines;
}

function isOrdinaryRenewal(entry: HistoryEntry): entry is Exclude<HistoryEntry, { type: "gap" }> {
  return entry.type === "renewed" && entry.by === undefined;
}
