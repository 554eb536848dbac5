/** Returns the smallest number of masters that is a majority. */
export const computeMajority = (masters: number) => Math.floor(masters / 2) + 1;

/** Returns the k-th smallest value, or `Infinity` if there are fewer than k values. */
export function kthSmallest(values: readonly number[], k: number): number {
  return values.toSorted((one, other) => one - other)[k - 1] ?? Number.POSITIVE_INFINITY;
}

/** Returns the k-th largest value, or `-Infinity` if there are fewer than k values. */
export function kthLargest(values: readonly number[], k: number): number {
  return values.toSorted((one, other) => other - one)[k - 1] ?? Number.NEGATIVE_INFINITY;
}

/** Returns the median. For an even number of values, returns the lower of the two middle values. */
export function median(values: readonly number[]): number {
  return kthSmallest(values, Math.ceil(values.length / 2));
}

/** Groups items by the result of `nameOf`. The largest group comes first. */
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
