import { type FilterTerm, matchesFilter, parseFilter } from "./filter.ts";
import { matchesGlob } from "./glob.ts";

/** The criteria of an event filter, with the fields of `EventFilter` in the contract. */
export interface EventCriteria {
  readonly key?: string | undefined;
  readonly owner?: string | undefined;
  readonly type?: string | undefined;
}

/** The fields of a history entry that a filter compares. An entry for a gap in the history has no key. */
export interface EventSubject {
  readonly type: string;
  readonly key?: string;
  readonly owner?: string | undefined;
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
  readonly fence?: string | undefined;
}

type KeyedSubject = EventSubject & { readonly key: string };

/**
 * Creates a function that returns whether an entry matches all criteria. A gap matches every key and owner, because the
 * events in the gap are unknown.
 */
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

/**
 * Creates a function that returns whether an event matches a filter in the syntax of lock filters. Plain text also
 * matches the operator, the reason and the fencing token.
 */
export function createEventTextMatcher(text = ""): (event: KeyedSubject) => boolean {
  const terms = parseFilter(text);
  return (event) => isEventMatch(terms, event);
}

/** Returns whether an event matches all terms of a filter in the syntax of lock filters. */
export function isEventMatch(terms: readonly FilterTerm[], event: KeyedSubject): boolean {
  const { key, owner, by, reason, fence } = event;
  const records = [by, reason, fence].filter((text) => text !== undefined);
  return matchesFilter(terms, { key, owners: owner === undefined ? [] : [owner], records });
}
