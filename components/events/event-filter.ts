import type { LockEvent } from "@/lib/contract/event.ts";
import { type FilterTerm, matchesFilter } from "@/lib/contract/filter.ts";

/** The same language as the list of locks; plain words look in who freed it and why as well. */
export function eventMatches(terms: readonly FilterTerm[], event: LockEvent): boolean {
  const { key, owner, by, reason, fence } = event;
  const records = [by, reason, fence].filter((text) => text !== undefined);
  return matchesFilter(terms, { key, owners: owner === undefined ? [] : [owner], records });
}
