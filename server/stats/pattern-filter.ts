import { matchesGlob } from "../../lib/query/glob.ts";

/**
 * Whether a pattern contains the text of the filter, or matches the filter if it is a glob. A `*` in the pattern is an
 * ordinary character.
 */
export function matchesPattern(filter: string, pattern: string): boolean {
  const [wanted, text] = [filter.trim().toLowerCase(), pattern.toLowerCase()];
  if (wanted === "") return true;
  return /[*?]/.test(wanted) ? matchesGlob(wanted, text) : text.includes(wanted);
}
