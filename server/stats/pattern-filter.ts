import { matchesGlob } from "../../lib/query/glob.ts";

/** Text that a pattern contains, or a glob that it matches. A `*` of the pattern itself is a character like any other. */
export function matchesPattern(filter: string, pattern: string): boolean {
  const [wanted, text] = [filter.trim().toLowerCase(), pattern.toLowerCase()];
  if (wanted === "") return true;
  return /[*?]/.test(wanted) ? matchesGlob(wanted, text) : text.includes(wanted);
}
