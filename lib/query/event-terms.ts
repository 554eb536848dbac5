import { describeFilterError, parseFilter, tokenizeFilter } from "./filter.ts";

/** Fields by which events can be searched. `any` stands for plain text. */
const EVENT_FIELDS: ReadonlySet<string> = new Set(["key", "owner", "any"]);

/**
 * Finds the first term of a filter that applies only to locks, such as `held>5m`, `liveness:overdue` or
 * `is:needs_attention`, or that is a comparison with an invalid value. Terms that apply only to locks match no event.
 * Returns `undefined` if there is no such term.
 */
export function findLockOnlyTerm(filter: string): string | undefined {
  return tokenizeFilter(filter).find(({ word }) => {
    const [term] = parseFilter(word);
    return term !== undefined && (!EVENT_FIELDS.has(term.field) || describeFilterError(word) !== undefined);
  })?.word;
}
