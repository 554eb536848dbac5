import type { FormatName } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { TaskOwner } from "../../concurrency/task-owner.ts";
import type { Observation, SeenVotes, SeenWaiters } from "../../formats/observation.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { NO_TYPICAL_HELD } from "../holds/attention.ts";
import { type ObservationContext, updateHold } from "../holds/continuity.ts";
import { getHolderSince, type ObservedHold, type ObservedHolder } from "../holds/observed-hold.ts";
import { AttentionKeys } from "./attention-keys.ts";
import { FacetCountCache } from "./facet-count-cache.ts";
import { GroupCache } from "./group-cache.ts";
import { QueryCache } from "./query-cache.ts";
import type { LockIndexDeps, SortOrder } from "./query-context.ts";
import { SharedTokenIndex } from "./shared-token-index.ts";
import type { SortPosition } from "./sorted-keys.ts";

/** How many locks that are left out are told apart; more are not counted. */
const LEFT_OUT_MAX = 10_000;

const DEFAULT_DEPS: LockIndexDeps = { now: Date.now, getTypicalHeldMs: NO_TYPICAL_HELD };

export interface HoldChange {
  readonly before: ObservedHold | undefined;
  readonly after: ObservedHold | undefined;
}

/** A part of the list of all holds that match a filter, in an order. */
export interface HoldPage {
  readonly holds: readonly ObservedHold[];
  /** How many match in all. */
  readonly total: number;
  /** The place of the last one, if there are more after it. */
  readonly next: SortPosition | undefined;
}

/** Where a page begins. */
export type PageStart = { readonly offset: number } | { readonly after: SortPosition };

/** The picture in memory: every held lock, as last read. */
export class LockIndex {
  readonly #holds = new Map<Key, ObservedHold>();
  readonly #sharedTokens = new SharedTokenIndex();
  /** Who waits for keys that were free when we looked last. */
  readonly #waiters = new Map<Key, SeenWaiters>();
  readonly #queries: QueryCache;
  readonly #attentionKeys: AttentionKeys;
  /** Who has how many of them. */
  readonly groups: GroupCache;
  /** What those have in common that match. */
  readonly facets: FacetCountCache;
  /** Locks for which there was no room. */
  readonly #leftOut = new Set<Key>();
  #lastEpoch = 0;
  #revision = 0;

  /** @param maxLocks locks; those that come when there are as many are not taken in */
  constructor(
    private readonly maxLocks = Number.POSITIVE_INFINITY,
    knows: LockIndexDeps = DEFAULT_DEPS,
  ) {
    this.#queries = new QueryCache(this.#holds, knows);
    this.#attentionKeys = new AttentionKeys(this.#holds, knows, (hold, needsAttention) =>
      this.groups.applyChange({ hold, needsAttention: !needsAttention }, { hold, needsAttention }),
    );
    this.groups = new GroupCache(this.#holds, this.#attentionKeys);
    this.facets = new FacetCountCache(this.#holds, knows, () => this.#revision);
  }

  get size(): number {
    return this.#holds.size;
  }

  /** How many locks are known not to be in the picture, because it is full. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** Rises with every change of the picture. */
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
   * Takes in one look at a key. Looks must come in the order in which Redis answered them. A hold for which there is no
   * room is given back as `after` all the same, new at every look.
   */
  applyObservation(observation: Observation, context: ObservationContext): HoldChange {
    const { key } = observation;
    const before = this.#holds.get(key);
    if (observation.state === "free" && observation.waiters?.count) {
      this.#waiters.set(key, observation.waiters);
    } else this.#waiters.delete(key);
    if (observation.state !== "held" && observation.state !== "ended") {
      this.#leftOut.delete(key);
      if (before === undefined) return { before, after: undefined };
      this.#holds.delete(key);
      this.#sharedTokens.update(key, before, undefined);
      this.#recordChange(key, before);
      return { before, after: undefined };
    }
    const after = updateHold(before, observation, context, () => ++this.#lastEpoch);
    if (before === undefined && this.#holds.size >= this.maxLocks) {
      if (this.#leftOut.size < LEFT_OUT_MAX) this.#leftOut.add(key);
      return { before, after };
    }
    this.#leftOut.delete(key);
    this.#holds.set(key, after);
    this.#sharedTokens.update(key, before, after);
    if (before === undefined || !isEquivalentHold(before, after)) this.#recordChange(key, before);
    return { before, after };
  }

  /** Who waits for a key that is free. */
  findWaiters(key: Key): SeenWaiters | undefined {
    return this.#waiters.get(key);
  }

  /** Other keys that hold the very token of this hold, `most` of them: they were taken together. */
  findKeysSharingToken(hold: ObservedHold, most: number): Key[] {
    return this.#sharedTokens.findOtherKeys(hold, most);
  }

  /** Whether `queryPage` needs no walk over all holds. */
  isQueryReady(filter: string, order: SortOrder, allowedKeys?: KeyPatternSet): boolean {
    return this.#queries.isReady(filter, order, allowedKeys);
  }

  /**
   * Makes a query ready in slices. Call `queryPage` directly afterwards: on its own it walks over all holds at once when
   * the query is not ready.
   *
   * @param owner pays for the walk
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
   * Costs what it gives, and what changed since the same filter and order were asked for.
   *
   * @param allowedKeys only such keys, whatever is asked for
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

  /** How many need attention now, by their format. */
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

/** Whether two looks would be shown, found and sorted alike. */
function isEquivalentHold(before: ObservedHold, after: ObservedHold): boolean {
  const [a, b] = [before.seen, after.seen];
  return (
    before.continuityId === after.continuityId &&
    before.endsAtMs === after.endsAtMs &&
    before.holders.length === after.holders.length &&
    before.holders.every((one, at) => isEquivalentHolder(one, after.holders[at])) &&
    a.state === b.state &&
    a.format === b.format &&
    a.kind === b.kind &&
    a.confidence === b.confidence &&
    before.liveness.state === after.liveness.state &&
    before.liveness.missedRenewals === after.liveness.missedRenewals &&
    a.permits?.available === b.permits?.available &&
    a.waiters?.count === b.waiters?.count &&
    a.waiters?.known === b.waiters?.known &&
    isSameVotes(a.votes, b.votes) &&
    isSameList(a.candidates, b.candidates)
  );
}

function isEquivalentHolder(one: ObservedHolder, two: ObservedHolder | undefined): boolean {
  return (
    one.epoch === two?.epoch &&
    one.ambiguousExits === two.ambiguousExits &&
    one.seen.count === two.seen.count &&
    one.seen.leaseMs === two.seen.leaseMs &&
    isSameList(one.seen.ownersPerMaster ?? [], two.seen.ownersPerMaster ?? []) &&
    getHolderSince(one).since === getHolderSince(two).since &&
    isSameRecord(one.seen.record, two.seen.record)
  );
}

function isSameVotes(one: SeenVotes | undefined, two: SeenVotes | undefined): boolean {
  return (
    one === two ||
    (one?.known === two?.known &&
      one?.state === two?.state &&
      one?.agreement === two?.agreement &&
      isSameList(one?.owners.flatMap(Object.values) ?? [], two?.owners.flatMap(Object.values) ?? []))
  );
}

function isSameRecord(one: OwnerRecord = {}, two: OwnerRecord = {}): boolean {
  return one === two || isSameList(Object.entries(one).flat(), Object.entries(two).flat());
}

function isSameList(one: readonly unknown[], two: readonly unknown[]): boolean {
  return one === two || (one.length === two.length && one.every((each, at) => each === two[at]));
}
