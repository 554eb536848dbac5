import type { HistoryEntry, LockEvent } from "@/lib/contract/event.ts";

/** A group of consecutive renewals. */
export interface RenewalGroup {
  readonly count: number;
  readonly locks: number;
  /** The renewals, newest first. */
  readonly entries: readonly LockEvent[];
}

/** A line of the feed: an entry, or a group of renewals. */
export type FeedLine =
  | { readonly id: string; readonly entry: HistoryEntry }
  | { readonly id: string; readonly renewals: RenewalGroup };

interface FoldOptions {
  /** Minimum number of consecutive renewals that form a group. */
  readonly least: number;
  /**
   * Number of lines after which no further entries are added. Renewals that are not in a collapsed group can exceed it.
   */
  readonly most?: number;
  /** The IDs of expanded groups. */
  readonly expanded?: ReadonlySet<string>;
}

/**
 * Groups runs of at least `least` consecutive renewals, which would otherwise crowd out other events. Never groups
 * renewals by an operator (those with `by`). An expanded group is followed by its renewals. A group keeps its id when
 * newer renewals are added to it.
 *
 * @param entries newest first
 */
export function foldRenewals(
  entries: readonly HistoryEntry[],
  { least, most = Number.POSITIVE_INFINITY, expanded }: FoldOptions,
): FeedLine[] {
  const lines: FeedLine[] = [];
  for (let at = 0; at < entries.length && lines.length < most; ) {
    const renewals = takeRenewals(entries, at);
    const group = renewals.length < least ? undefined : createGroup(renewals);
    if (group !== undefined) lines.push(group);
    if (group === undefined || expanded?.has(group.id)) {
      const shown = renewals.length === 0 ? entries.slice(at, at + 1) : renewals;
      for (const entry of shown) lines.push({ id: entry.id, entry });
    }
    at += Math.max(1, renewals.length);
  }
  return lines;
}

/**
 * Returns the consecutive renewals that start at index `at`; empty if the entry at `at` is not a renewal by its holder.
 */
function takeRenewals(entries: readonly HistoryEntry[], at: number): LockEvent[] {
  const renewals: LockEvent[] = [];
  for (let next = at; ; next++) {
    const entry = entries[next];
    if (entry?.type !== "renewed" || entry.by !== undefined) return renewals;
    renewals.push(entry);
  }
}

function createGroup(entries: readonly LockEvent[]): FeedLine & { renewals: RenewalGroup } {
  const locks = new Set(entries.map(({ key }) => key)).size;
  return { id: `renewals ${entries.at(-1)?.id}`, renewals: { count: entries.length, locks, entries } };
}
