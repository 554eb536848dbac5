import { matchesGlob } from "../../lib/query/glob.ts";

/** Checks whether a pattern contains a text or matches a glob. A `*` in the pattern is an ordinary character. */
export function matchesPattern(filter: string, pattern: string): boolean {
  const [wanted, text] = [filter.trim().toLowerCase(), pattern.toLowerCase()];
  if (wanted === "") return true;
  return /[*?]/.test(wanted) ? matchesGlob(wanted, text) : text.includes(wanted);
}
