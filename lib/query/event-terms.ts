import { faultOfFilter, parseFilter, wordsOfFilter } from "./filter.ts";

/** What an event can be searched by; `any` is plain text. */
const OF_EVENTS: ReadonlySet<string> = new Set(["key", "owner", "any"]);

/**
 * The first word of a filter that no event can ever meet, because it asks for what only a lock has (`held>5m`,
 * `verdict:late`, `is:abnormal`): a search with it would find nothing and not say why. undefined: there is none.
 */
export function wordOfNoEvent(filter: string): string | undefined {
  return wordsOfFilter(filter).find(({ word }) => {
    const [term] = parseFilter(word);
    return term !== undefined && (!OF_EVENTS.has(term.field) || faultOfFilter(word) !== undefined);
  })?.word;
}
