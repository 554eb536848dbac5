/** Pattern names in the statistics for which no filter exists. */
const UNSEARCHABLE_PATTERNS: ReadonlySet<string> = new Set(["(other)", "(binary)", ""]);

/** Returns the filter for the locks of a pattern; `null` if there is none. */
export function buildPatternFilter(pattern: string): string | null {
  if (UNSEARCHABLE_PATTERNS.has(pattern)) return null;
  // `key:=` matches exact text, and white space would end the term.
  return `key:${pattern.replace(/\s|^=/g, "?")}`;
}
