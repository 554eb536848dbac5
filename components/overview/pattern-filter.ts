/** Pattern names in the statistics that have no filter. */
const UNSEARCHABLE_PATTERNS: ReadonlySet<string> = new Set(["(other)", "(binary)", ""]);

/** Returns the filter for the locks of a key pattern; `null` for the names in `UNSEARCHABLE_PATTERNS`. */
export function buildPatternFilter(pattern: string): string | null {
  if (UNSEARCHABLE_PATTERNS.has(pattern)) return null;
  // A leading `=` would mean an exact match, and white space would end the term.
  return `key:${pattern.replace(/\s|^=/g, "?")}`;
}
