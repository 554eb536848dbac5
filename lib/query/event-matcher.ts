import { type FilterTerm, matchesFilter, parseFilter } from "./filter.ts";
import { matchesGlob } from "./glob.ts";

/** What the contract's `EventFilter` asks for. */
export interface EventCriteria {
  readonly key?: string | undefined;
  readonly owner?: string | undefined;
  readonly type?: string | undefined;
}

/** What is looked at of an entry of the history; a gap has no key. */
export interface EventSubject {
  readonly type: string;
  readonly key?: string;
  readonly owner?: string | undefined;
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
  readonly fence?: string | undefined;
}

type KeyedSubject = EventSubject & { readonly key: string };

/** Whether an entry is wanted. A gap belongs to every key and owner: anything may have happened in it. */
export function createEventMatcher({ key, owner, type }: EventCriteria): (entry: EventSubject) => boolean {
  const types = type === undefined ? undefined : new Set(type.split(","));
  const [keyGlob, ownerGlob] = [key?.toLowerCase(), owner?.toLowerCase()];
  return (entry) => {
    if (types !== undefined && !types.has(entry.type)) return false;
    if (entry.type === "gap") return true;
    if (keyGlob !== undefined && !matchesGlob(keyGlob, (entry.key ?? "").toLowerCase())) return false;
    return ownerGlob === undefined || matchesGlob(ownerGlob, (entry.owner ?? "").toLowerCase());
  };
}

/** Whether an event has the words that are searched for; plain words are looked for in who freed it, and why, as well. */
export function createEventTextMatcher(text = ""): (event: KeyedSubject) => boolean {
  const terms = parseFilter(text);
  return (event) => isEventMatch(terms, event);
}

/** The same language as the list of locks. */
export function isEventMatch(terms: readonly FilterTerm[], event: KeyedSubject): boolean {
  const { key, owner, by, reason, fence } = event;
  const records = [by, reason, fence].filter((text) => text !== undefined);
  return matchesFilter(terms, { key, owners: owner === undefined ? [] : [owner], records });
}
