import { matchesFilter, parseFilter } from "../../lib/contract/filter.ts";
import { type Key, textOfKey } from "../../lib/contract/key.ts";
import type { LockSortField } from "../../lib/contract/list.ts";
import type { HeldObservation, Observation } from "../formats/observation.ts";
import { type Hold, isSameHold, sinceOf } from "./hold.ts";

export interface Circumstances {
  /** Something said that the key was gone for a moment, so a hold that looks the same is another. */
  readonly wasGone: boolean;
  /** How well we know when a hold that is new to us began. */
  readonly since: "exact" | "at_least";
  /** The stretch of time without a break in what we heard. */
  readonly sight: string;
}

export interface Change {
  readonly before: Hold | undefined;
  readonly after: Hold | undefined;
}

export interface Order {
  readonly field: LockSortField;
  readonly direction: 1 | -1;
}

export function orderOf(sort: string): Order {
  const field = (sort.startsWith("-") ? sort.slice(1) : sort) as LockSortField;
  return { field, direction: sort.startsWith("-") ? -1 : 1 };
}

type SortValue = string | number;

/** A place in a sorted list: everything up to and including it has been given. */
export type Place = readonly [value: SortValue, key: Key];

/** The picture in memory: every held lock, as last read. */
export class Mirror {
  readonly #holds = new Map<Key, Hold>();
  readonly #sorted = new Map<string, { revision: number; holds: Hold[] }>();
  #epochs = 0;
  #revision = 0;

  get size(): number {
    return this.#holds.size;
  }

  /** Rises with every change of the picture. */
  get revision(): number {
    return this.#revision;
  }

  get(key: Key): Hold | undefined {
    return this.#holds.get(key);
  }

  keys(): IterableIterator<Key> {
    return this.#holds.keys();
  }

  /** Takes in one look at a key. Looks must come in the order in which Redis answered them. */
  observe(observation: Observation, circumstances: Circumstances): Change {
    const { key } = observation;
    const before = this.#holds.get(key);
    if (observation.state !== "held") {
      if (before === undefined) return { before, after: undefined };
      this.#holds.delete(key);
      this.#revision++;
      return { before, after: undefined };
    }
    const after = this.#holdOf(before, observation, circumstances);
    this.#holds.set(key, after);
    if (before === undefined || !looksAlike(before, after)) this.#revision++;
    return { before, after };
  }

  #holdOf(before: Hold | undefined, seen: HeldObservation, circumstances: Circumstances): Hold {
    const { wasGone, since, sight } = circumstances;
    const { key, remainingMs } = seen;
    const ours = seen.holders[0].fence !== null;
    if (before !== undefined && isSameHold(before.seen, seen) && (ours || !wasGone)) {
      const longestMs = Math.max(before.longestMs ?? 0, remainingMs ?? 0) || null;
      if (ours || before.sight === sight) return { ...before, seen, sight, longestMs };
      // The same owner may have let go and taken again while we did not hear.
      return { ...before, seen, sight, longestMs, firstSeenMs: seen.asOf, since: "at_least" };
    }
    const begun = wasGone ? "exact" : since;
    const epoch = ++this.#epochs;
    return { key, seen, epoch, sight, firstSeenMs: seen.asOf, since: begun, longestMs: remainingMs };
  }

  /** All holds that match, in order. The same question about an unchanged picture costs nothing. */
  sorted(filter: string, order: Order): readonly Hold[] {
    const question = `${order.direction}${order.field}\n${filter}`;
    const known = this.#sorted.get(question);
    if (known?.revision === this.#revision) return known.holds;
    if (this.#sorted.size >= 32) this.#sorted.clear();
    const terms = parseFilter(filter);
    const holds = [...this.#holds.values()]
      .filter((hold) => terms.length === 0 || matchesFilter(terms, subjectOf(hold)))
      .sort(comparing(order));
    this.#sorted.set(question, { revision: this.#revision, holds });
    return holds;
  }
}

const SAME_END_MS = 5;

/** Whether two looks would be shown alike; clocks make ends differ a little. */
function looksAlike(before: Hold, after: Hold): boolean {
  const [one, two] = [before.seen.holders[0], after.seen.holders[0]];
  return (
    before.epoch === after.epoch &&
    before.sight === after.sight &&
    one.count === two.count &&
    one.leaseMs === two.leaseMs &&
    Math.abs(endOf(before.seen) - endOf(after.seen)) <= SAME_END_MS
  );
}

function endOf({ asOf, remainingMs }: HeldObservation): number {
  return remainingMs === null ? Number.MAX_SAFE_INTEGER : asOf + remainingMs;
}

function subjectOf({ key, seen }: Hold) {
  return {
    key: textOfKey(key),
    owners: seen.holders.map(({ owner }) => owner),
    records: seen.holders.flatMap(({ record }) => Object.values(record ?? {}).map(String)),
  };
}

export function placeOf(hold: Hold, order: Order): Place {
  return [VALUE_OF[order.field](hold), hold.key];
}

/** Index of the first hold that comes after the place. */
export function indexAfter(holds: readonly Hold[], place: Place, order: Order): number {
  let low = 0;
  let high = holds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const hold = holds[middle];
    if (hold !== undefined && comparePlaces(placeOf(hold, order), place, order) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function comparing(order: Order): (a: Hold, b: Hold) => number {
  return (a, b) => comparePlaces(placeOf(a, order), placeOf(b, order), order);
}

function comparePlaces([a, keyA]: Place, [b, keyB]: Place, { direction }: Order): number {
  if (a !== b) return (a < b ? -1 : 1) * direction;
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

const VALUE_OF: Record<LockSortField, (hold: Hold) => SortValue> = {
  key: ({ key }) => key,
  owner: ({ seen }) => seen.holders[0].record?.service ?? seen.holders[0].owner,
  count: ({ seen }) => seen.holders[0].count,
  remaining: ({ seen }) =>
    seen.remainingMs === null ? Number.MAX_SAFE_INTEGER : seen.asOf + seen.remainingMs,
  // The longer it is held, the earlier it began.
  held: (hold) => -sinceOf(hold).since,
  waiters: ({ seen }) => seen.waiters?.count ?? -1,
  fence: ({ seen }) => Number(seen.holders[0].fence ?? -1),
  format: ({ seen }) => seen.format,
};
