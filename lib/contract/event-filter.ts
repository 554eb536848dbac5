import type { EventFilter, HistoryEntry, LockEvent } from "./event.ts";
import { type FilterTerm, matchesFilter, matchesGlob, parseFilter } from "./filter.ts";

/** Whether an entry is wanted. A gap belongs to every key and owner: anything may have happened in it. */
export function eventMatcher({ key, owner, type }: EventFilter): (entry: HistoryEntry) => boolean {
  const types = type === undefined ? undefined : new Set(type.split(","));
  const [keyGlob, ownerGlob] = [key?.toLowerCase(), owner?.toLowerCase()];
  return (entry) => {
    if (types !== undefined && !types.has(entry.type)) return false;
    if (entry.type === "gap") return true;
    if (keyGlob !== undefined && !matchesGlob(keyGlob, entry.key.toLowerCase())) return false;
    return ownerGlob === undefined || matchesGlob(ownerGlob, (entry.owner ?? "").toLowerCase());
  };
}

/** Whether an event has the words that are searched for; plain words are looked for in who freed it, and why, as well. */
export function eventWords(text = ""): (event: LockEvent) => boolean {
  const terms = parseFilter(text);
  return (event) => eventMatches(terms, event);
}

/** The same language as the list of locks. */
export function eventMatches(terms: readonly FilterTerm[], event: LockEvent): boolean {
  const { key, owner, by, reason, fence } = event;
  const records = [by, reason, fence].filter((text) => text !== undefined);
  return matchesFilter(terms, { key, owners: owner === undefined ? [] : [owner], records });
}
