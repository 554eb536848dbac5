import type { OwnerGrouping, OwnerSortField } from "../../../lib/contract/owner.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { forEachYielding } from "../../concurrency/for-each-yielding.ts";
import type { TaskOwner } from "../../concurrency/task-owner.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { getHeldSince } from "../holds/attention.ts";
import { getHolderSince, type ObservedHold } from "../holds/observed-hold.ts";
import type { AttentionKeys } from "./attention-keys.ts";
import { compileFilter } from "./filter-compiler.ts";
import { type CountedHold, type GroupMembership, HoldGroup } from "./hold-group.ts";
import { type SortDirection, SortedKeys, type SortValue } from "./sorted-keys.ts";

export interface GroupOrder {
  readonly field: OwnerSortField;
  readonly direction: SortDirection;
}

/** A grouping by namespace: the keys that start with `prefix` are grouped by their next `depth` segments. */
export interface NamespaceGrouping {
  readonly prefix: string;
  readonly depth: number;
}

export type GroupBy = OwnerGrouping | NamespaceGrouping;

export interface GroupQuery {
  readonly by: GroupBy;
  readonly filter: string;
  readonly order: GroupOrder;
  /** Limits the groups to keys that match these patterns; all keys if `undefined`. */
  readonly allowedKeys?: KeyPatternSet | undefined;
  /** The caller that is charged for the CPU time of a build. */
  readonly owner?: TaskOwner | undefined;
}

/** Maximum number of cached groupings with more than `SMALL_GROUPING_SIZE` groups, such as groupings by owner. */
const GROUPINGS_MAX = 4;
/**
 * Maximum number of cached groupings with up to `SMALL_GROUPING_SIZE` groups. A namespace tree needs one grouping per
 * expanded branch. A small grouping slows down changes to locks only slightly.
 */
const SMALL_GROUPINGS_MAX = 32;
const SMALL_GROUPING_SIZE = 1000;
/** Time, in ms, after which an unused grouping is dropped, because each cached grouping slows down changes to locks. */
const IDLE_MS = 30_000;

/**
 * Maximum number of groupings built at the same time. Bounds memory, because each build copies the list of all locks.
 */
const BUILDING_MAX = 16;

interface CachedGrouping {
  readonly grouping: HoldGrouping;
  readonly ready: Promise<void>;
  queriedAt: number;
}

/**
 * Groups locks by owner, service, host or namespace, and caches the groupings. The first query builds a grouping by
 * iterating over all locks in slices. Afterwards, each change to a lock updates the grouping in about 2 µs.
 */
export class GroupCache {
  /** Groupings by name, least recently used first. */
  readonly #groupings = new Map<string, CachedGrouping>();
  #buildingCount = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly needsAttention: Pick<AttentionKeys, "keys" | "advance">,
  ) {}

  get size(): number {
    return this.#groupings.size;
  }

  applyChange(before: CountedHold | undefined, after: CountedHold | undefined): void {
    if (this.#groupings.size === 0) return;
    const now = performance.now();
    for (const [name, { grouping, queriedAt }] of this.#groupings) {
      if (now - queriedAt > IDLE_MS) this.#groupings.delete(name);
      else grouping.applyChange(before, after);
    }
  }

  /**
   * Returns the grouping if it is cached and completely built, otherwise `undefined`. Resets the idle time of the
   * grouping.
   */
  getReady(query: GroupQuery): HoldGrouping | undefined {
    const name = buildGroupingName(query);
    const cached = this.#groupings.get(name);
    if (cached === undefined || !cached.grouping.isReady) return undefined;
    this.needsAttention.advance();
    cached.queriedAt = performance.now();
    this.#groupings.delete(name);
    this.#groupings.set(name, cached);
    return cached.grouping;
  }

  /** @returns the grouping once it is built, or `undefined` if too many groupings are being built */
  async query(query: GroupQuery): Promise<HoldGrouping | undefined> {
    this.needsAttention.advance();
    const name = buildGroupingName(query);
    const known = this.#groupings.get(name);
    if (known === undefined && this.#buildingCount >= BUILDING_MAX) return undefined;
    const cached = known ?? this.#startGrouping(query);
    cached.queriedAt = performance.now();
    this.#groupings.delete(name);
    this.#groupings.set(name, cached);
    this.#evictGroupings();
    await cached.ready;
    // The limits depend on the size of the grouping, which is known only after the build.
    this.#evictGroupings();
    return cached.grouping;
  }

  #startGrouping(query: GroupQuery): CachedGrouping {
    const grouping = new HoldGrouping(query);
    this.#buildingCount++;
    const created = grouping.fill([...this.holds.values()], this.needsAttention.keys(), query.owner);
    const ready = created.finally(() => this.#buildingCount--);
    return { grouping, ready, queriedAt: 0 };
  }

  #evictGroupings(): void {
    const counts = { small: 0, large: 0 };
    for (const [name, { grouping }] of [...this.#groupings].reverse()) {
      // Keeps unfinished groupings: their callers are waiting, and a dropped grouping would receive no changes.
      if (!grouping.isReady) continue;
      const isSmall = grouping.size <= SMALL_GROUPING_SIZE;
      const count = isSmall ? ++counts.small : ++counts.large;
      if (count > (isSmall ? SMALL_GROUPINGS_MAX : GROUPINGS_MAX)) this.#groupings.delete(name);
    }
  }
}

function buildGroupingName({ by, filter, order, allowedKeys }: GroupQuery): string {
  return JSON.stringify([by, filter, order.field, order.direction, allowedKeys?.patterns]);
}

/** The groups of all locks that match a query, in the sort order that the query specifies. */
export class HoldGrouping {
  readonly #groups = new Map<Key, HoldGroup>();
  readonly #matches: (hold: ObservedHold) => boolean;
  readonly #listMemberships: ListMemberships;
  readonly #computeSortValue: (group: HoldGroup, name: Key) => SortValue;
  readonly #direction: SortDirection;
  #sorted: SortedKeys;
  /** Changes to locks during the build, applied at the end of the build. `undefined` once the grouping is built. */
  #changes: (readonly [CountedHold | undefined, CountedHold | undefined])[] | undefined = [];
  /** Number of matching locks that belong to no group, such as locks without a known service. */
  unnamedCount = 0;

  constructor({ by, filter, order, allowedKeys }: GroupQuery) {
    // Queries for groups accept no time-dependent terms.
    const { fits } = compileFilter(filter);
    const prefix = typeof by === "string" ? "" : by.prefix;
    this.#matches = (hold) =>
      hold.key.startsWith(prefix) && (allowedKeys?.has(hold.key) ?? true) && fits(hold);
    this.#listMemberships = typeof by === "string" ? groupByHolder(by) : groupByNamespace(by);
    this.#computeSortValue = SORT_VALUES[order.field];
    this.#direction = order.direction;
    this.#sorted = new SortedKeys(order.direction);
  }

  /** Builds the groups from all locks. Call once, and pass changes during and after the build to `applyChange`. */
  async fill(
    holds: readonly ObservedHold[],
    needsAttention: Iterable<Key>,
    owner?: TaskOwner,
  ): Promise<void> {
    const neededAttention = new Set(needsAttention);
    await forEachYielding(
      holds,
      (hold) => this.#countHold({ hold, needsAttention: neededAttention.has(hold.key) }, 1),
      owner,
    );
    const names = [...this.#groups.keys()];
    const values = [...this.#groups].map(([name, group]) => this.#computeSortValue(group, name));
    this.#sorted = SortedKeys.from(this.#direction, values, names);
    const changes = this.#changes ?? [];
    this.#changes = undefined;
    for (const [before, after] of changes) this.applyChange(before, after);
  }

  get isReady(): boolean {
    return this.#changes === undefined;
  }

  get sorted(): SortedKeys {
    return this.#sorted;
  }

  get size(): number {
    return this.#groups.size;
  }

  get(name: Key): HoldGroup | undefined {
    return this.#groups.get(name);
  }

  applyChange(before: CountedHold | undefined, after: CountedHold | undefined): void {
    if (this.#changes !== undefined) {
      this.#changes.push([before, after]);
      return;
    }
    const touched = new Map<Key, SortValue | undefined>();
    for (const counted of [before, after]) {
      if (counted === undefined || !this.#matches(counted.hold)) continue;
      for (const [name] of this.#listMemberships(counted.hold)) touched.set(name, this.#findSortValue(name));
    }
    if (before !== undefined) this.#countHold(before, -1);
    if (after !== undefined) this.#countHold(after, 1);
    for (const [name, then] of touched) {
      const now = this.#findSortValue(name);
      if (then === now) continue;
      if (then !== undefined) this.#sorted.delete(then, name);
      if (now !== undefined) this.#sorted.insert(now, name);
    }
  }

  #findSortValue(name: Key): SortValue | undefined {
    const group = this.#groups.get(name);
    return group && this.#computeSortValue(group, name);
  }

  #countHold(counted: CountedHold, by: 1 | -1): void {
    const { hold } = counted;
    if (!this.#matches(hold)) return;
    const parts = this.#listMemberships(hold);
    if (parts.length === 0) this.unnamedCount += by;
    for (const part of parts) {
      const [name] = part;
      const known = this.#groups.get(name);
      const group = known ?? new HoldGroup();
      if (known === undefined) this.#groups.set(name, group);
      if (by === 1) group.add(counted, part);
      else group.delete(counted, part);
      if (group.isEmpty) this.#groups.delete(name);
    }
  }
}

/** A function that returns the groups to which a lock belongs, without duplicates. */
type ListMemberships = (hold: ObservedHold) => readonly GroupMembership[];

function groupByHolder(by: OwnerGrouping): ListMemberships {
  const getName =
    by === "owner" ? ({ owner }: SeenHolder) => owner : ({ record }: SeenHolder) => record?.[by];
  return ({ holders }) => {
    const [first, second] = holders;
    if (second === undefined) {
      const name = getName(first.seen);
      return name === undefined ? NO_MEMBERSHIPS : [[name, getHolderSince(first).since]];
    }
    const parts = new Map<Key, number>();
    for (const holder of holders) {
      const name = getName(holder.seen);
      if (name === undefined) continue;
      const { since } = getHolderSince(holder);
      parts.set(name, Math.min(since, parts.get(name) ?? since));
    }
    return [...parts];
  };
}

function groupByNamespace({ prefix, depth }: NamespaceGrouping): ListMemberships {
  return (hold) => {
    const { key } = hold;
    let end = prefix.length;
    for (let segment = 0; segment < depth; segment++) {
      end = key.indexOf(":", end) + 1;
      // The last segment is not part of a namespace. Otherwise, each key could form its own group.
      if (end === 0) return NO_MEMBERSHIPS;
    }
    return [[key.slice(0, end), getHeldSince(hold), key.includes(":", end)]];
  };
}

const NO_MEMBERSHIPS: readonly never[] = [];

/**
 * Multiplier that combines two counts in one sort value. Larger than any number of locks, and small enough that
 * combined values are exact in a double.
 */
const HOLDS_FACTOR = 2 ** 26;

const SORT_VALUES: Record<OwnerSortField, (group: HoldGroup, name: Key) => SortValue> = {
  name: (_group, name) => name,
  holds: ({ holds }) => holds,
  // The number of locks breaks ties. It is always less than `HOLDS_FACTOR`.
  needs_attention: ({ needsAttention, holds }) => needsAttention * HOLDS_FACTOR + holds,
  // Negated, because an earlier start means a longer hold time.
  held: ({ oldest: [since] }) => -since,
  waiters: ({ waiters }) => waiters.count ?? 0,
};
