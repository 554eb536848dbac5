interface TimedItem {
  readonly at: number;
  /** Present only on refusals. */
  readonly count?: number | undefined;
}

/**
 * Moves counted refusals to the time at which they happened. The entry of a counted refusal is written up to a minute
 * later, so it can follow later actions in the chain. All other items keep their order.
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
