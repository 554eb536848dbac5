/** The name in the statistics of keys without a pattern. */
const UNSEARCHABLE_PATTERNS: ReadonlySet<string> = new Set(["(other)", "(binary)", ""]);

/** Returns the filter that finds the locks of a pattern. null: no filter can. */
export function buildPatternFilter(pattern: string): string | null {
  if (UNSEARCHABLE_PATTERNS.has(pattern)) return null;
  // White space would end the term, and `key:=` matches the exact text.
  return `key:${pattern.replace(/\s|^=/g, "?")}`;
}
