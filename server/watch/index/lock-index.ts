import type { FormatName } from "../../../lib/contract/format.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Observation, SeenVotes, SeenWaiters } from "../../formats/observation.ts";
import type { KeyRange } from "../../redis/glob.ts";
import { NOTHING_USUAL } from "../holds/abnormal.ts";
import { type Circumstances, holdOf } from "../holds/continuity.ts";
import { type HeldBy, type Hold, sinceOf } from "../holds/observed-hold.ts";
import { AbnormalKeys } from "./abnormal-keys.ts";
import { FacetSurveys } from "./facet-count-cache.ts";
import { Groups } from "./group-cache.ts";
import { type Knows, type Order, Questions } from "./query-cache.ts";
import { Tokens } from "./shared-token-index.ts";
import type { Place } from "./sorted-keys.ts";

/** How many locks that are left out are told apart; more are not counted. */
const LEFT_OUT_MAX = 10_000;

const NOTHING_KNOWN: Knows = { now: Date.now, usual: NOTHING_USUAL };

export interface Change {
  readonly before: Hold | undefined;
  readonly after: Hold | undefined;
}

/** A part of the list of all holds that match a filter, in an order. */
export interface Page {
  readonly holds: readonly Hold[];
  /** How many match in all. */
  readonly total: number;
  /** The place of the last one, if there are more after it. */
  readonly next: Place | undefined;
}

/** Where a page begins. */
export type Start = { readonly offset: number } | { readonly after: Place };

/** The picture in memory: every held lock, as last read. */
export class Mirror {
  readonly #holds = new Map<Key, Hold>();
  readonly #tokens = new Tokens();
  /** Who waits for keys that were free when we looked last. */
  readonly #waiters = new Map<Key, SeenWaiters>();
  readonly #questions: Questions;
  readonly #abnormal: AbnormalKeys;
  /** Who has how many of them. */
  readonly groups: Groups;
  /** What those have in common that match. */
  readonly facets: FacetSurveys;
  /** Locks for which there was no room. */
  readonly #leftOut = new Set<Key>();
  #epochs = 0;
  #revision = 0;

  /** @param most locks; those that come when there are as many are not taken in */
  constructor(
    private readonly most = Number.POSITIVE_INFINITY,
    knows: Knows = NOTHING_KNOWN,
  ) {
    this.#questions = new Questions(this.#holds, knows);
    this.#abnormal = new AbnormalKeys(this.#holds, knows, (hold, isAbnormal) =>
      this.groups.changed({ hold, isAbnormal: !isAbnormal }, { hold, isAbnormal }),
    );
    this.groups = new Groups(this.#holds, this.#abnormal);
    this.facets = new FacetSurveys(this.#holds, knows, () => this.#revision);
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

  get(key: Key): Hold | undefined {
    return this.#holds.get(key);
  }

  keys(): IterableIterator<Key> {
    return this.#holds.keys();
  }

  /**
   * Takes in one look at a key. Looks must come in the order in which Redis answered them. A hold for which there is no
   * room is given back as `after` all the same, new at every look.
   */
  observe(observation: Observation, circumstances: Circumstances): Change {
    const { key } = observation;
    const before = this.#holds.get(key);
    if (observation.state === "free" && observation.waiters?.count) {
      this.#waiters.set(key, observation.waiters);
    } else this.#waiters.delete(key);
    if (observation.state !== "held" && observation.state !== "ended") {
      this.#leftOut.delete(key);
      if (before === undefined) return { before, after: undefined };
      this.#holds.delete(key);
      this.#tokens.change(key, before, undefined);
      this.#changed(key, before);
      return { before, after: undefined };
    }
    const after = holdOf(before, observation, circumstances, () => ++this.#epochs);
    if (before === undefined && this.#holds.size >= this.most) {
      if (this.#leftOut.size < LEFT_OUT_MAX) this.#leftOut.add(key);
      return { before, after };
    }
    this.#leftOut.delete(key);
    this.#holds.set(key, after);
    this.#tokens.change(key, before, after);
    if (before === undefined || !looksAlike(before, after)) this.#changed(key, before);
    return { before, after };
  }

  /** Who waits for a key that is free. */
  waitersOf(key: Key): SeenWaiters | undefined {
    return this.#waiters.get(key);
  }

  /** Other keys that hold the very token of this hold, `most` of them: they were taken together. */
  sharing(hold: Hold, most: number): Key[] {
    return this.#tokens.others(hold, most);
  }

  /**
   * Costs what it gives, and what changed since the same filter and order were asked for.
   *
   * @param within only such keys, whatever is asked for
   */
  page(filter: string, order: Order, start: Start, limit: number, within?: KeyRange): Page {
    const sorted = this.#questions.ask(filter, order, within);
    const { keys, next } =
      "after" in start ? sorted.after(start.after, limit) : sorted.slice(start.offset, limit);
    return { holds: keys.flatMap((key) => this.#holds.get(key) ?? []), total: sorted.size, next };
  }

  /** How many are abnormal now, by their format. */
  get abnormal(): ReadonlyMap<FormatName, number> {
    this.#abnormal.pass();
    return this.#abnormal.byFormat;
  }

  #changed(key: Key, before: Hold | undefined): void {
    this.#revision++;
    this.#questions.changed(key, before);
    const after = this.#holds.get(key);
    const wasAbnormal = this.#abnormal.has(key);
    this.#abnormal.changed(key);
    this.groups.changed(
      before && { hold: before, isAbnormal: wasAbnormal },
      after && { hold: after, isAbnormal: this.#abnormal.has(key) },
    );
  }
}

/** Whether two looks would be shown, found and sorted alike. */
function looksAlike(before: Hold, after: Hold): boolean {
  const [a, b] = [before.seen, after.seen];
  return (
    before.sight === after.sight &&
    before.endsAtMs === after.endsAtMs &&
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
    a.waiters?.known === b.waiters?.known &&
    isSameVotes(a.votes, b.votes) &&
    isSameList(a.candidates, b.candidates)
  );
}

function isShownAlike(one: HeldBy, two: HeldBy | undefined): boolean {
  return (
    one.epoch === two?.epoch &&
    one.doubts === two.doubts &&
    one.seen.count === two.seen.count &&
    one.seen.leaseMs === two.seen.leaseMs &&
    sinceOf(one).since === sinceOf(two).since &&
    isSameRecord(one.seen.record, two.seen.record)
  );
}

function isSameVotes(one: SeenVotes | undefined, two: SeenVotes | undefined): boolean {
  return (
    one === two ||
    (one?.known === two?.known &&
      one?.state === two?.state &&
      isSameList(one?.owners.flatMap(Object.values) ?? [], two?.owners.flatMap(Object.values) ?? []))
  );
}

function isSameRecord(one: OwnerRecord = {}, two: OwnerRecord = {}): boolean {
  return one === two || isSameList(Object.entries(one).flat(), Object.entries(two).flat());
}

function isSameList(one: readonly unknown[], two: readonly unknown[]): boolean {
  return one === two || (one.length === two.length && one.every((each, at) => each === two[at]));
}
