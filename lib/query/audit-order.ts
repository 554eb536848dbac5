interface TimedItem {
  readonly at: number;
  /** Number of refusals. Present only on an item that counts refusals. */
  readonly count?: number | undefined;
}

/**
 * Moves items that count refusals to their position by time. In the chain, these items can follow later actions,
 * because an entry that counts refusals is written up to a minute after the refusals. All other items keep their order.
 *
 * @param items newest first
 */
export function placeRefusalsByTime<Item extends TimedItem>(items: readonly Item[]): Item[] {
  const placed = items.filter(({ count }) => count === undefined);
  const refusals = items
    .filter(({ count }) => count !== undefined)
    .toSorted((one, other) => one.at - other.at);
  for (const refusal of refusals) {
    const place = placed.findIndex(({ at }) => at < refusal.at);
    placed.splice(place < 0 ? placed.length : place, 0, refusal);
  }
  return placed;
}
