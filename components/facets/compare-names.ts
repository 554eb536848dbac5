const collator = new Intl.Collator("en", { numeric: true });

/**
 * Compares two names for sorting. Numbers in the names are in numeric order (`pod-3` before `pod-16`). The order is
 * total and the same in every language.
 */
export function compareNames(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : one > other ? 1 : 0);
}
