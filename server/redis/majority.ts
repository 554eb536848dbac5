/** What several masters say, as one figure. */

export const computeMajority = (masters: number) => Math.floor(masters / 2) + 1;

/** The k-th of the values from below: as many as k are not above it. */
export function kthSmallest(values: readonly number[], k: number): number {
  return values.toSorted((one, other) => one - other)[k - 1] ?? Number.POSITIVE_INFINITY;
}

/** The k-th of the values from above: as many as k are not below it. */
export function kthLargest(values: readonly number[], k: number): number {
  return values.toSorted((one, other) => other - one)[k - 1] ?? Number.NEGATIVE_INFINITY;
}

/** Of an even number the lower one. */
export function median(values: readonly number[]): number {
  return kthSmallest(values, Math.ceil(values.length / 2));
}

/** Those that belong together, the largest group first. */
export function groupLargestFirst<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()].toSorted((one, other) => other.length - one.length);
}
