import type { HistoryEntry } from "@/lib/contract/event.ts";

/** Renewals that followed each other without anything else between. */
export interface Renewals {
  readonly id: string;
  readonly count: number;
  readonly locks: number;
}

export type CalmLine = { readonly entry: HistoryEntry } | { readonly renewals: Renewals };

/**
 * The newest lines of a stream, the newest first. Renewals are as normal as breathing: all that follow each other are one
 * line, so that they bury nothing. One by an operator (`by`) is told by itself.
 *
 * @param entries oldest first
 */
export function calmLines(entries: readonly HistoryEntry[], most: number): CalmLine[] {
  const lines: CalmLine[] = [];
  for (let at = entries.length - 1; at >= 0 && lines.length < most; at--) {
    const entry = entries[at];
    if (entry === undefined) continue;
    if (!isRoutine(entry)) {
      lines.push({ entry });
      continue;
    }
    const keys = new Set<string>();
    let first = at;
    for (let each = entry; isRoutine(each); ) {
      keys.add(each.key);
      const before = entries[first - 1];
      if (before === undefined || !isRoutine(before)) break;
      first--;
      each = before;
    }
    const id = entries[first]?.id ?? entry.id;
    lines.push({ renewals: { id: `renewals ${id}`, count: at - first + 1, locks: keys.size } });
    at = first;
  }
  return lines;
}

function isRoutine(entry: HistoryEntry): entry is Exclude<HistoryEntry, { type: "gap" }> {
  return entry.type === "renewed" && entry.by === undefined;
}
