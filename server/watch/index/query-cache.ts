import type { Key } from "../../../lib/keys/key.ts";
import { forEachYielding } from "../../concurrency/for-each-yielding.ts";
import { SYSTEM_OWNER, type TaskOwner } from "../../concurrency/task-owner.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { RateLimitedError } from "../../errors/request-errors.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { type CachedQuery, QueryBuilder, type QueryDefinition } from "./query-builder.ts";
import type { LockIndexDeps, SortOrder } from "./query-context.ts";
import { SortedKeys, type SortValue } from "./sorted-keys.ts";
import { moveKey } from "./time-dependent-index.ts";

interface HoldBefore {
  readonly key: Key;
  readonly before: ObservedHold | undefined;
}

interface PendingQuery {
  readonly ownerId: string;
  readonly done: Promise<void>;
}

const QUERIES_MAX = 128;
/** Maximum number of holds in the index for evaluating a query in one step, which takes less time than a slice. */
const HOLDS_AT_ONCE_MAX = 256;
/** Maximum number of queries of one caller that are evaluated at the same time. */
const PENDING_PER_OWNER_MAX = 16;
/** Maximum number of attempts to evaluate a query. An attempt fails if too many locks change during the evaluation. */
const ATTEMPTS_MAX = 4;
/** Total number of entries, at 16 bytes each, that the results may always have. A larger index allows more entries. */
const ENTRIES_MIN = 200_000;
const ENTRIES_PER_HOLD = 12;
/**
 * Number of recorded changes above which the older half is dropped. If the index has more than four times as many
 * holds, the limit is a quarter of the number of holds.
 */
const CHANGES_MIN = 8192;

/**
 * Caches query results as sorted lists, and records each change to a lock. When a result is used again, the cache first
 * applies the changes that were recorded since the last use. If some of these changes were dropped, the query is
 * evaluated again.
 */
export class QueryCache {
  /** Results by query name, least recently used first. */
  readonly #queries = new Map<string, CachedQuery>();
  readonly #pending = new Map<string, PendingQuery>();
  #changes: HoldBefore[] = [];
  /** Sequence number of the oldest recorded change. */
  #firstChange = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly deps: LockIndexDeps,
  ) {}

  /** @param before the previous hold of the key; the current hold is read from the index when the change is applied */
  recordChange(key: Key, before: ObservedHold | undefined): void {
    if (this.#queries.size === 0 && this.#pending.size === 0) return;
    this.#changes.push({ key, before });
    if (this.#changes.length > Math.max(CHANGES_MIN, this.holds.size / 4)) this.#dropOldChanges();
  }

  /** Returns whether `query` can return a result without iterating over many holds. */
  isReady(filter: string, order: SortOrder, allowedKeys?: KeyPatternSet): boolean {
    return this.#isReady(buildQueryName(filter, order, allowedKeys));
  }

  /**
   * Evaluates a query in slices that do not block the event loop. If `query` is called immediately afterwards, it
   * returns the result without iterating over all holds. Concurrent callers of the same query share one evaluation.
   *
   * @param owner the caller that is charged for the CPU time
   * @throws LockkeeperError rate_limited, unavailable
   */
  async prepare(
    filter: string,
    order: SortOrder,
    allowedKeys?: KeyPatternSet,
    owner: TaskOwner = SYSTEM_OWNER,
  ): Promise<void> {
    const name = buildQueryName(filter, order, allowedKeys);
    if (this.#isReady(name)) return;
    const known = this.#pending.get(name);
    if (known !== undefined) return known.done;
    this.#assertRoom(owner);
    const creation: PendingQuery = {
      ownerId: owner.id,
      done: this.#createInSlices(name, { filter, order, allowedKeys }, owner).finally(() =>
        this.#pending.delete(name),
      ),
    };
    this.#pending.set(name, creation);
    return creation.done;
  }

  query(filter: string, order: SortOrder, allowedKeys?: KeyPatternSet): SortedKeys {
    const name = buildQueryName(filter, order, allowedKeys);
    const now = this.deps.now();
    const ready = this.#findReady(name);
    const cached = ready ?? this.#createQuery({ filter, order, allowedKeys });
    this.#keep(name, cached, now);
    return cached.sorted;
  }

  #isReady(name: string): boolean {
    return this.holds.size <= HOLDS_AT_ONCE_MAX || this.#findReady(name) !== undefined;
  }

  #findReady(name: string): CachedQuery | undefined {
    const known = this.#queries.get(name);
    return known?.timeIndex?.isStale(this.deps.now()) === true ? undefined : known;
  }

  /** Caches a result as the most recently used one, and brings it up to date. */
  #keep(name: string, cached: CachedQuery, now: number): void {
    const isNew = this.#queries.get(name) !== cached;
    this.#queries.delete(name);
    this.#queries.set(name, cached);
    this.#applyChanges(cached, now);
    cached.timeIndex?.advance(cached.sorted, now);
    if (isNew) this.#evictQueries();
  }

  #assertRoom({ id }: TaskOwner): void {
    let own = 0;
    for (const { ownerId } of this.#pending.values()) if (ownerId === id) own++;
    if (own < PENDING_PER_OWNER_MAX) return;
    throw new RateLimitedError(
      `${PENDING_PER_OWNER_MAX} different filters of one caller are being evaluated. Retry later, or send fewer at once.`,
      { remainingMs: 1000 },
    );
  }

  async #createInSlices(name: string, definition: QueryDefinition, owner: TaskOwner): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const builder = new QueryBuilder(definition, this.holds, this.deps);
      const sorted = new SortedKeys(definition.order.direction);
      let appliedUpTo = 0;
      // Holds are immutable, so the evaluation sees all of them as of its start. `#changes` records later changes.
      const holds = {
        [Symbol.iterator]: () => {
          appliedUpTo = this.#firstChange + this.#changes.length;
          builder.begin();
          return [...this.holds.values()][Symbol.iterator]();
        },
      };
      const insert = (hold: ObservedHold) => {
        const value = builder.computeValue(hold);
        if (value !== undefined) sorted.insert(value, hold.key);
      };
      await forEachYielding(holds, insert, owner);
      if (appliedUpTo < this.#firstChange) continue;
      this.#keep(name, builder.build(sorted, appliedUpTo), this.deps.now());
      return;
    }
    throw new UnavailableError("The locks change faster than this filter can be evaluated. Retry later.");
  }

  #applyChanges(cached: CachedQuery, now: number): void {
    const { computeSortValue, sorted, timeIndex } = cached;
    const end = this.#firstChange + this.#changes.length;
    if (cached.appliedUpTo === end) return;
    // The state of each changed hold at the last update of this result, taken from the first change after that update.
    const before = new Map<Key, ObservedHold | undefined>();
    for (let at = cached.appliedUpTo - this.#firstChange; at < this.#changes.length; at++) {
      const change = this.#changes[at];
      if (change !== undefined && !before.has(change.key)) before.set(change.key, change.before);
    }
    cached.appliedUpTo = end;
    for (const [key, was] of before) {
      const is = this.holds.get(key);
      if (timeIndex !== undefined) timeIndex.placeKey(sorted, key, is, now);
      else moveKey(sorted, key, was && computeSortValue(was), is && computeSortValue(is));
    }
  }

  #createQuery(definition: QueryDefinition): CachedQuery {
    const builder = new QueryBuilder(definition, this.holds, this.deps);
    builder.begin();
    const keys: Key[] = [];
    const values: SortValue[] = [];
    for (const [key, hold] of this.holds) {
      const value = builder.computeValue(hold);
      if (value === undefined) continue;
      keys.push(key);
      values.push(value);
    }
    const sorted = SortedKeys.from(definition.order.direction, values, keys);
    return builder.build(sorted, this.#firstChange + this.#changes.length);
  }

  #dropOldChanges(): void {
    const half = this.#changes.length >> 1;
    this.#changes = this.#changes.slice(half);
    this.#firstChange += half;
    for (const [name, { appliedUpTo }] of this.#queries)
      if (appliedUpTo < this.#firstChange) this.#queries.delete(name);
    if (this.#queries.size > 0 || this.#pending.size > 0) return;
    this.#firstChange += this.#changes.length;
    this.#changes = [];
  }

  #evictQueries(): void {
    const most = Math.max(ENTRIES_MIN, ENTRIES_PER_HOLD * this.holds.size);
    let entries = 0;
    for (const cached of this.#queries.values()) entries += countEntries(cached);
    for (const [name, cached] of this.#queries) {
      if (this.#queries.size === 1 || (entries <= most && this.#queries.size <= QUERIES_MAX)) return;
      entries -= countEntries(cached);
      this.#queries.delete(name);
    }
  }
}

function buildQueryName(
  filter: string,
  { field, direction }: SortOrder,
  allowedKeys: KeyPatternSet | undefined,
): string {
  const range = allowedKeys === undefined ? "" : `\n${JSON.stringify(allowedKeys.patterns)}`;
  return `${direction}${field}\n${JSON.stringify(filter)}${range}`;
}

/**
 * Returns the memory that a result takes, in entries of 16 bytes. A time-dependent result takes eight more entries for
 * each scheduled change.
 */
function countEntries({ sorted, timeIndex }: CachedQuery): number {
  return sorted.size + 8 * (timeIndex?.size ?? 0);
}
