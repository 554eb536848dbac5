import { matchesFilter, parseFilter } from "../../lib/contract/filter.ts";
import { type Key, textOfKey } from "../../lib/contract/key.ts";
import type { LockSortField } from "../../lib/contract/list.ts";
import type { HeldObservation, Observation, SeenWaiters } from "../formats/observation.ts";
import { type Circumstances, holdOf } from "./continuity.ts";
import { type HeldBy, type Hold, sinceOf } from "./hold.ts";
import { Tokens } from "./tokens.ts";

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
  readonly #tokens = new Tokens();
  /** Who waits for keys that were free when we looked last. */
  readonly #waiters = new Map<Key, SeenWaiters>();
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
    if (observation.state === "free" && observation.waiters?.count) {
      this.#waiters.set(key, observation.waiters);
    } else this.#waiters.delete(key);
    if (observation.state !== "held" && observation.state !== "ended") {
      if (before === undefined) return { before, after: undefined };
      this.#holds.delete(key);
      this.#tokens.change(key, before, undefined);
      this.#revision++;
      return { before, after: undefined };
    }
    const after = holdOf(before, observation, circumstances, () => ++this.#epochs);
    this.#holds.set(key, after);
    this.#tokens.change(key, before, after);
    if (before === undefined || !looksAlike(before, after)) this.#revision++;
    return { before, after };
  }

  /** Who waits for a key that is free. */
  waitersOf(key: Key): SeenWaiters | undefined {
    return this.#waiters.get(key);
  }

  /** Whether other keys may hold the very token of this hold. */
  mayShare(hold: Hold): boolean {
    return this.#tokens.mayShare(hold);
  }

  /** Other keys that hold the very token of this hold, `most` of them: they were taken together. */
  sharing(hold: Hold, most: number): Key[] {
    return this.#tokens.others(hold, most);
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
  const [a, b] = [before.seen, after.seen];
  return (
    before.sight === after.sight &&
    before.holders.length === after.holders.length &&
    before.holders.every((one, at) => isShownAlike(one, after.holders[at])) &&
    a.state === b.state &&
    a.format === b.format &&
    a.kind === b.kind &&
    a.confidence === b.confidence &&
    before.judgement.state === after.judgement.state &&
    before.judgement.misses === after.judgement.misses &&
    a.permits?.available === b.permits?.available &&
    a.waiters?.count === b.waiters?.count &&
    Math.abs(endOf(a) - endOf(b)) <= SAME_END_MS
  );
}

function isShownAlike(one: HeldBy, two: HeldBy | undefined): boolean {
  return (
    one.epoch === two?.epoch &&
    one.doubts === two.doubts &&
    one.seen.count === two.seen.count &&
    one.seen.leaseMs === two.seen.leaseMs &&
    one.seen.record?.purpose === two.seen.record?.purpose
  );
}

function endOf({ asOf, remainingMs }: HeldObservation): number {
  return remainingMs === null ? Number.MAX_SAFE_INTEGER : asOf + remainingMs;
}

function subjectOf({ key, seen, judgement }: Hold) {
  return {
    key: textOfKey(key),
    owners: seen.holders.map(({ owner }) => textOfKey(owner)),
    records: seen.holders.flatMap(({ record }) => Object.values(record ?? {}).map(String)),
    formats: [seen.format, ...seen.candidates],
    kind: seen.kind,
    verdict: judgement.state,
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
  owner: ({ seen }) => seen.holders[0].record?.service ?? textOfKey(seen.holders[0].owner),
  count: ({ seen }) => seen.holders.reduce((sum, { count }) => sum + count, 0),
  remaining: ({ seen }) =>
    seen.remainingMs === null ? Number.MAX_SAFE_INTEGER : seen.asOf + seen.remainingMs,
  // The longer it is held, the earlier it began.
  waiters: ({ seen }) => seen.waiters?.count ?? -1,
  held: ({ holders }) => -Math.min(...holders.map((holder) => sinceOf(holder).since)),
  fence: ({ seen }) => Number(seen.holders[0].fence ?? -1),
  format: ({ seen }) => seen.format,
};
