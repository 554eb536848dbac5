import { describeFilterError, parseFilter, tokenizeFilter } from "./filter.ts";

/** Fields by which events can be searched. `any` is plain text. */
const EVENT_FIELDS: ReadonlySet<string> = new Set(["key", "owner", "any"]);

/**
 * Finds the first term of a filter that applies only to locks (`held>5m`, `liveness:overdue`, `is:needs_attention`)
 * and therefore matches no event; `undefined` if there is none.
 */
export function findLockOnlyTerm(filter: string): string | undefined {
  return tokenizeFilter(filter).find(({ word }) => {
    const [term] = parseFilter(word);
    return term !== undefined && (!EVENT_FIELDS.has(term.field) || describeFilterError(word) !== undefined);
  })?.word;
}
