/** What the figures call keys that have no pattern of their own. */
const UNSEARCHABLE_PATTERNS: ReadonlySet<string> = new Set(["(other)", "(binary)", ""]);

/** The filter that finds the locks of a pattern; null: no filter can. */
export function buildPatternFilter(pattern: string): string | null {
  if (UNSEARCHABLE_PATTERNS.has(pattern)) return null;
  // White space would end the word, and `key:=` asks for that very text.
  return `key:${pattern.replace(/\s|^=/g, "?")}`;
}
