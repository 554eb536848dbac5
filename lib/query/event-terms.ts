import { describeFilterError, parseFilter, tokenizeFilter } from "./filter.ts";

/** What an event can be searched by; `any` is plain text. */
const EVENT_FIELDS: ReadonlySet<string> = new Set(["key", "owner", "any"]);

/**
 * The first word of a filter that no event can ever meet, because it asks for what only a lock has (`held>5m`,
 * `liveness:overdue`, `is:needs_attention`): a search with it would find nothing and not say why. undefined: there is none.
 */
export function findLockOnlyTerm(filter: string): string | undefined {
  return tokenizeFilter(filter).find(({ word }) => {
    const [term] = parseFilter(word);
    return term !== undefined && (!EVENT_FIELDS.has(term.field) || describeFilterError(word) !== undefined);
  })?.word;
}
