/** The pattern names in the statistics that no filter can find. */
const UNSEARCHABLE_PATTERNS: ReadonlySet<string> = new Set(["(other)", "(binary)", ""]);

/** Returns the filter that finds the locks of a pattern; `null` if no filter can. */
export function buildPatternFilter(pattern: string): string | null {
  if (UNSEARCHABLE_PATTERNS.has(pattern)) return null;
  // `key:=` matches exact text, and white space would end the term.
  return `key:${pattern.replace(/\s|^=/g, "?")}`;
}
