import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { TaskOwner } from "../../concurrency/task-owner.ts";
import type { HeldObservation, Observation, SeenWaiters } from "../../formats/observation.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { NO_TYPICAL_HELD } from "../holds/attention.ts";
import { updateHold } from "../holds/continuity.ts";
import type { ObservationContext } from "../holds/holder-matcher.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { AttentionKeys } from "./attention-keys.ts";
import { FacetCountCache } from "./facet-count-cache.ts";
import { GroupCache } from "./group-cache.ts";
import { isEquivalentHold } from "./hold-equivalence.ts";
import { QueryCache } from "./query-cache.ts";
import { BY_KEY, type LockIndexDeps, type SortOrder } from "./query-context.ts";
import { SharedTokenIndex } from "./shared-token-index.ts";
import type { SortPosition } from "./sorted-keys.ts";

/** Maximum number of locks to count that did not fit into the index. */
const LEFT_OUT_MAX = 10_000;

const DEFAULT_DEPS: LockIndexDeps = { now: Date.now, getTypicalHeldMs: NO_TYPICAL_HELD };

export interface HoldChange {
  readonly before: ObservedHold | undefined;
  readonly after: ObservedHold | undefined;
}

/** One page of the sorted list of holds that match a filter. */
export interface HoldPage {
  readonly holds: readonly ObservedHold[];
  /** Number of matching holds on all pages. */
  readonly total: number;
  /** Position of the last hold on the page, or `undefined` if no more holds follow. */
  readonly next: SortPosition | undefined;
}

/** The start of a page: an offset, or the position of the last hold on the previous page. */
export type PageStart = { readonly offset: number } | { readonly after: SortPosition };

/** The filter that matches all unlisted locks. */
export const UNLISTED_FILTER = "is:unlisted";

/** The in-memory index of the held locks of a target, as of their last reads. Contains at most `maxLocks` locks. */
export class LockIndex {
  readonly #holds = new Map<Key, ObservedHold>();
  /** Keys of the unlisted holds in the index (see `ObservedHold.isListed`). */
  readonly #unlisted = new Set<Key>();
  readonly #sharedTokens = new SharedTokenIndex();
  /** Waiters of keys that were free at their last read. */
  readonly #waiters = new Map<Key, SeenWaiters>();
  readonly #queries: QueryCache;
  readonly #attentionKeys: AttentionKeys;
  /** Locks grouped by owner, service, host or namespace. */
  readonly groups: GroupCache;
  /** Facet counts of the locks that match a filter. */
  readonly facets: FacetCountCache;
  /** Keys of locks that did not fit into the index. */
  readonly #leftOut = new Set<Key>();
  #lastEpoch = 0;
  readonly #newEpoch = () => ++this.#lastEpoch;
  #revision = 0;

  /** @param maxLocks maximum number of locks; if the index is full, a listed lock replaces an unlisted one */
  constructor(
    private readonly maxLocks = Number.POSITIVE_INFINITY,
    private readonly deps: LockIndexDeps = DEFAULT_DEPS,
  ) {
    this.#queries = new QueryCache(this.#holds, deps);
    this.#attentionKeys = new AttentionKeys(this.#holds, deps, (hold, needsAttention) =>
      this.groups.applyChange({ hold, needsAttention: !needsAttention }, { hold, needsAttention }),
    );
    this.groups = new GroupCache(this.#holds, this.#attentionKeys);
    this.facets = new FacetCountCache(this.#holds, deps, () => this.#revision);
  }

  /** Number of indexed locks, listed and unlisted. */
  get size(): number {
    return this.#holds.size;
  }

  get listedCount(): number {
    return this.#holds.size - this.#unlisted.size;
  }

  /**
   * Returns the number of locks that match `UNLISTED_FILTER`. Before a call with `allowedKeys`, call `prepareQuery`
   * with `UNLISTED_FILTER`, `BY_KEY` and the same `allowedKeys`. Without this preparation, the count iterates over all
   * holds in one step.
   *
   * @param allowedKeys limits the count to these keys
   */
  countUnlisted(allowedKeys?: KeyPatternSet): number {
    if (allowedKeys === undefined) return this.#unlisted.size;
    return this.queryPage(UNLISTED_FILTER, BY_KEY, { offset: 0 }, 0, allowedKeys).total;
  }

  /** Number of known locks that did not fit into the index, counted up to 10,000. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** A number that increases with every change to the index that can affect a query result. */
  get revision(): number {
    return this.#revision;
  }

  get(key: Key): ObservedHold | undefined {
    return this.#holds.get(key);
  }

  keys(): IterableIterator<Key> {
    return this.#holds.keys();
  }

  /**
   * Updates the index with an observation of a key, and returns the hold before and after the update. Call this method
   * in the same order in which Redis replied. A hold that does not fit into the index is also returned as `after`, but
   * as a new hold each time.
   */
  applyObservation(observation: Observation, context: ObservationContext): HoldChange {
    const { key } = observation;
    const before = this.#holds.get(key);
    if (observation.state === "free" && observation.waiters?.count) {
      this.#waiters.set(key, observation.waiters);
    } else this.#waiters.delete(key);
    if (observation.state !== "held" && observation.state !== "ended") {
      this.#leftOut.delete(key);
      if (before !== undefined) this.#removeHold(before);
      return { before, after: undefined };
    }
    const inScope = this.#isListed(observation) ? context : Object.assign({}, context, { isListed: false });
    const known = before ?? this.deps.restoreHold?.(observation, this.#newEpoch);
    const after = updateHold(known, observation, inScope, this.#newEpoch);
    if (before === undefined && !this.#makeRoom(after)) {
      this.#recordLeftOut(key);
      return { before, after };
    }
    this.#leftOut.delete(key);
    this.#holds.set(key, after);
    if (after.isListed) this.#unlisted.delete(key);
    else this.#unlisted.add(key);
    this.#sharedTokens.update(key, before, after);
    if (before === undefined || !isEquivalentHold(before, after)) this.#recordChange(key, before);
    return { before, after };
  }

  #isListed({ key, confidence }: HeldObservation): boolean {
    return confidence !== "possible" || (this.deps.isAlwaysListed?.(key) ?? true);
  }

  /**
   * Removes an unlisted hold if the index is full and the given hold is listed.
   *
   * @returns whether there is room for the given hold
   */
  #makeRoom({ isListed }: ObservedHold): boolean {
    if (this.#holds.size < this.maxLocks) return true;
    const [unlisted] = isListed ? this.#unlisted : [];
    const hold = unlisted === undefined ? undefined : this.#holds.get(unlisted);
    if (hold === undefined) return false;
    this.#removeHold(hold);
    this.#recordLeftOut(hold.key);
    return true;
  }

  #removeHold(hold: ObservedHold): void {
    const { key } = hold;
    this.#holds.delete(key);
    this.#unlisted.delete(key);
    this.#sharedTokens.update(key, hold, undefined);
    this.#recordChange(key, hold);
  }

  #recordLeftOut(key: Key): void {
    if (this.#leftOut.size < LEFT_OUT_MAX) this.#leftOut.add(key);
  }

  /**
   * Loads the stored state of a hold whose key was read before the state was available. If the stored hold and the
   * indexed hold are the same hold, the indexed hold receives the start and the renewals of the stored hold.
   */
  restoreLate(key: Key): void {
    const before = this.#holds.get(key);
    if (before === undefined) return;
    const { seen, continuityId, isListed } = before;
    const stored = this.deps.restoreHold?.(
      seen,
      (holder) => before.holders.find((each) => each.seen === holder)?.epoch ?? this.#newEpoch(),
    );
    if (stored === undefined) return;
    const context = { wasGone: false, since: "at_least", continuityId, isListed } as const;
    this.#holds.set(key, updateHold(stored, seen, context, this.#newEpoch));
    this.#recordChange(key, before);
  }

  /** Returns the waiters of a key that was free at its last read, or `undefined` if there were none. */
  findWaiters(key: Key): SeenWaiters | undefined {
    return this.#waiters.get(key);
  }

  /**
   * Returns up to `most` other keys with the same token as this hold, which indicates that the locks were acquired
   * together.
   */
  findKeysSharingToken(hold: ObservedHold, most: number): Key[] {
    return this.#sharedTokens.findOtherKeys(hold, most);
  }

  /** Returns whether `queryPage` can serve this query without iterating over many holds. */
  isQueryReady(filter: string, order: SortOrder, allowedKeys?: KeyPatternSet): boolean {
    return this.#queries.isReady(filter, order, allowedKeys);
  }

  /**
   * Evaluates a query in slices that do not block the event loop. Call `queryPage` immediately afterwards. Without this
   * preparation, `queryPage` iterates over all holds in one step.
   *
   * @param owner the caller that is charged for the CPU time
   * @throws LockkeeperError rate_limited, unavailable
   */
  prepareQuery(
    filter: string,
    order: SortOrder,
    allowedKeys?: KeyPatternSet,
    owner?: TaskOwner,
  ): Promise<void> {
    return this.#queries.prepare(filter, order, allowedKeys, owner);
  }

  /**
   * Returns a page of matching holds. If the query is ready (see `isQueryReady`), the cost depends on the page size and
   * on the number of changes since the query was last used. Otherwise, this method iterates over all holds.
   *
   * @param allowedKeys limits the result to these keys
   */
  queryPage(
    filter: string,
    order: SortOrder,
    start: PageStart,
    limit: number,
    allowedKeys?: KeyPatternSet,
  ): HoldPage {
    const sorted = this.#queries.query(filter, order, allowedKeys);
    const { keys, next } =
      "after" in start ? sorted.sliceAfter(start.after, limit) : sorted.slice(start.offset, limit);
    return { holds: keys.flatMap((key) => this.#holds.get(key) ?? []), total: sorted.size, next };
  }

  /** Number of locks that need attention now, by format. */
  get attentionCounts(): ReadonlyMap<FormatName, number> {
    this.#attentionKeys.advance();
    return this.#attentionKeys.countsByFormat;
  }

  #recordChange(key: Key, before: ObservedHold | undefined): void {
    this.#revision++;
    this.#queries.recordChange(key, before);
    const after = this.#holds.get(key);
    const neededAttention = this.#attentionKeys.has(key);
    this.#attentionKeys.updateKey(key);
    this.groups.applyChange(
      before && { hold: before, needsAttention: neededAttention },
      after && { hold: after, needsAttention: this.#attentionKeys.has(key) },
    );
  }
}
