import type { LockSortField } from "../../../lib/contract/lock-sort.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { type GetTypicalHeldMs, NEVER } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { compileFilter } from "./filter-compiler.ts";
import { getSortValues } from "./sort-values.ts";
import { type SortDirection, SortedKeys, type SortValue } from "./sorted-keys.ts";
import { moveKey, TimeDependentIndex } from "./time-dependent-index.ts";

export interface SortOrder {
  readonly field: LockSortField;
  readonly direction: SortDirection;
}

export function parseSortOrder(sort: string): SortOrder {
  const field = (sort.startsWith("-") ? sort.slice(1) : sort) as LockSortField;
  return { field, direction: sort.startsWith("-") ? -1 : 1 };
}

/** What a hold is sorted by; undefined: it does not match. */
type ComputeSortValue = (hold: ObservedHold) => SortValue | undefined;

/** What one order knows: the holds as they were when it was last brought up to date. */
interface CachedQuery {
  readonly computeSortValue: ComputeSortValue;
  readonly sorted: SortedKeys;
  /** Where time alone turns what matches or how it is sorted. */
  readonly timeIndex: TimeDependentIndex | undefined;
  /** Number of the first change that it has not taken in. */
  appliedUpTo: number;
}

/** What the picture itself does not know. */
export interface LockIndexDeps {
  /** Redis's clock. */
  now(): number;
  readonly getTypicalHeldMs: GetTypicalHeldMs;
}

interface HoldBefore {
  readonly key: Key;
  readonly before: ObservedHold | undefined;
}

const QUERIES_MAX = 128;
/** Entries of all answers together: 16 bytes each, and a filter that few match costs little. */
const ENTRIES_MIN = 200_000;
const ENTRIES_PER_HOLD = 12;
/** Changes that are remembered for answers which nobody asked for meanwhile. */
const CHANGES_MIN = 8192;

/**
 * The answers to what is asked of the picture, each a sorted list that is kept. A change is only written down; an
 * answer takes in what changed since it was last asked for. One that has fallen too far behind is made anew.
 */
export class QueryCache {
  /** The one asked last comes last. */
  readonly #queries = new Map<string, CachedQuery>();
  #changes: HoldBefore[] = [];
  /** Number of the first change in the list. */
  #firstChange = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly deps: LockIndexDeps,
  ) {}

  /** @param before as it was; what it is now is in the picture */
  recordChange(key: Key, before: ObservedHold | undefined): void {
    if (this.#queries.size === 0) return;
    this.#changes.push({ key, before });
    if (this.#changes.length > Math.max(CHANGES_MIN, this.holds.size / 4)) this.#dropOldChanges();
  }

  query(filter: string, order: SortOrder, allowedKeys?: KeyPatternSet): SortedKeys {
    const range = allowedKeys === undefined ? "" : `\n${JSON.stringify(allowedKeys.patterns)}`;
    const name = `${order.direction}${order.field}\n${JSON.stringify(filter)}${range}`;
    const now = this.deps.now();
    const known = this.#queries.get(name);
    this.#queries.delete(name);
    const isKept = known !== undefined && known.timeIndex?.isStale(now) !== true;
    const question = isKept ? known : this.#createQuery(filter, order, allowedKeys, now);
    this.#queries.set(name, question);
    this.#applyChanges(question, now);
    question.timeIndex?.advance(question.sorted, now);
    if (!isKept) this.#evictQueries();
    return question.sorted;
  }

  #applyChanges(question: CachedQuery, now: number): void {
    const { computeSortValue, sorted, timeIndex } = question;
    const end = this.#firstChange + this.#changes.length;
    if (question.appliedUpTo === end) return;
    // As each was when this answer was last up to date: the first of its changes since then.
    const before = new Map<Key, ObservedHold | undefined>();
    for (let at = question.appliedUpTo - this.#firstChange; at < this.#changes.length; at++) {
      const change = this.#changes[at];
      if (change !== undefined && !before.has(change.key)) before.set(change.key, change.before);
    }
    question.appliedUpTo = end;
    for (const [key, was] of before) {
      const is = this.holds.get(key);
      if (timeIndex !== undefined) timeIndex.placeKey(sorted, key, is, now);
      else moveKey(sorted, key, was && computeSortValue(was), is && computeSortValue(is));
    }
  }

  #createQuery(
    filter: string,
    { field, direction }: SortOrder,
    allowedKeys: KeyPatternSet | undefined,
    now: number,
  ): CachedQuery {
    const { fits: matches, timeDependentTerm: term } = compileFilter(filter);
    const fits =
      allowedKeys === undefined
        ? matches
        : (hold: ObservedHold) => allowedKeys.has(hold.key) && matches(hold);
    const order = getSortValues(field);
    const isTimed = term !== undefined || order.computeChangeAt !== undefined;
    const timed = isTimed
      ? new TimeDependentIndex({ fits, term, order }, this.holds, this.deps.getTypicalHeldMs, now)
      : undefined;
    const computeSortValue: ComputeSortValue = (hold) =>
      fits(hold) ? order.computeSortValue(hold, now, NEVER) : undefined;
    const sorted = this.#sortHolds(
      timed === undefined ? computeSortValue : (hold) => timed.add(hold, now),
      direction,
    );
    return {
      computeSortValue: computeSortValue,
      sorted,
      timeIndex: timed,
      appliedUpTo: this.#firstChange + this.#changes.length,
    };
  }

  #sortHolds(computeSortValue: ComputeSortValue, direction: SortDirection): SortedKeys {
    const keys: Key[] = [];
    const values: SortValue[] = [];
    for (const [key, hold] of this.holds) {
      const value = computeSortValue(hold);
      if (value === undefined) continue;
      keys.push(key);
      values.push(value);
    }
    return SortedKeys.from(direction, values, keys);
  }

  #dropOldChanges(): void {
    const half = this.#changes.length >> 1;
    this.#changes = this.#changes.slice(half);
    this.#firstChange += half;
    for (const [name, { appliedUpTo }] of this.#queries)
      if (appliedUpTo < this.#firstChange) this.#queries.delete(name);
    if (this.#queries.size === 0) this.#changes = [];
  }

  #evictQueries(): void {
    const most = Math.max(ENTRIES_MIN, ENTRIES_PER_HOLD * this.holds.size);
    let entries = 0;
    for (const question of this.#queries.values()) entries += countEntries(question);
    for (const [name, question] of this.#queries) {
      if (this.#queries.size === 1 || (entries <= most && this.#queries.size <= QUERIES_MAX)) return;
      entries -= countEntries(question);
      this.#queries.delete(name);
    }
  }
}

/** What time turns takes about eight times the memory of an entry that it does not. */
function countEntries({ sorted, timeIndex }: CachedQuery): number {
  return sorted.size + 8 * (timeIndex?.size ?? 0);
}
