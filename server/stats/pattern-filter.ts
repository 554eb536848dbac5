import { matchesGlob } from "../../lib/query/glob.ts";

/**
 * Returns whether a pattern matches a filter, ignoring case. A filter with `*` or `?` is a glob. Any other filter
 * matches patterns that contain it. Wildcards in the pattern are ordinary characters.
 */
export function matchesPattern(filter: string, pattern: string): boolean {
  const [wanted, text] = [filter.trim().toLowerCase(), pattern.toLowerCase()];
  if (wanted === "") return true;
  return /[*?]/.test(wanted) ? matchesGlob(wanted, text) : text.includes(wanted);
}
