const collator = new Intl.Collator("en", { numeric: true });

/** `pod-3` before `pod-16`; the same in every language, and different for any two names. */
export function compareNames(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : one > other ? 1 : 0);
}
