/**
 * Calls `run` for each item, with at most `limit` calls in progress at a time, and returns the outcomes in the same
 * order as the items. A failed item does not affect other items.
 */
export async function settleLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes = new Map<number, PromiseSettledResult<Result>>();
  const pending = items.entries();
  const work = async () => {
    for (const [index, item] of pending) {
      const [outcome] = await Promise.allSettled([run(item)]);
      outcomes.set(index, outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return items.flatMap((_, index) => outcomes.get(index) ?? []);
}
