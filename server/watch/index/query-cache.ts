import type { LockSortField } from "../../../lib/contract/lock-sort.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { KeyRange } from "../../redis/glob.ts";
import { NEVER, type UsualHeld } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { matchingOf } from "./filter-compiler.ts";
import { sortValuesOf } from "./sort-values.ts";
import { type Direction, SortedKeys, type SortValue } from "./sorted-keys.ts";
import { move, Timed } from "./time-dependent-index.ts";

export interface Order {
  readonly field: LockSortField;
  readonly direction: Direction;
}

export function orderOf(sort: string): Order {
  const field = (sort.startsWith("-") ? sort.slice(1) : sort) as LockSortField;
  return { field, direction: sort.startsWith("-") ? -1 : 1 };
}

/** What a hold is sorted by; undefined: it does not match. */
type StandingOf = (hold: Hold) => SortValue | undefined;

/** What one order knows: the holds as they were when it was last brought up to date. */
interface Question {
  readonly standingOf: StandingOf;
  readonly sorted: SortedKeys;
  /** Where time alone turns what matches or how it is sorted. */
  readonly timed: Timed | undefined;
  /** Number of the first change that it has not taken in. */
  upTo: number;
}

/** What the picture itself does not know. */
export interface Knows {
  /** Redis's clock. */
  now(): number;
  readonly usual: UsualHeld;
}

interface Changed {
  readonly key: Key;
  readonly before: Hold | undefined;
}

const QUESTIONS_MAX = 128;
/** Entries of all answers together: 16 bytes each, and a filter that few match costs little. */
const ENTRIES_MIN = 200_000;
const ENTRIES_A_HOLD = 12;
/** Changes that are remembered for answers which nobody asked for meanwhile. */
const CHANGES_MIN = 8192;

/**
 * The answers to what is asked of the picture, each a sorted list that is kept. A change is only written down; an
 * answer takes in what changed since it was last asked for. One that has fallen too far behind is made anew.
 */
export class Questions {
  /** The one asked last comes last. */
  readonly #known = new Map<string, Question>();
  #changes: Changed[] = [];
  /** Number of the first change in the list. */
  #from = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, Hold>,
    private readonly knows: Knows,
  ) {}

  /** @param before as it was; what it is now is in the picture */
  changed(key: Key, before: Hold | undefined): void {
    if (this.#known.size === 0) return;
    this.#changes.push({ key, before });
    if (this.#changes.length > Math.max(CHANGES_MIN, this.holds.size / 4)) this.#forgetOlder();
  }

  ask(filter: string, order: Order, within?: KeyRange): SortedKeys {
    const range = within === undefined ? "" : `\n${JSON.stringify(within.patterns)}`;
    const name = `${order.direction}${order.field}\n${JSON.stringify(filter)}${range}`;
    const now = this.knows.now();
    const known = this.#known.get(name);
    this.#known.delete(name);
    const isKept = known !== undefined && known.timed?.isStale(now) !== true;
    const question = isKept ? known : this.#made(filter, order, within, now);
    this.#known.set(name, question);
    this.#takeInChanges(question, now);
    question.timed?.pass(question.sorted, now);
    if (!isKept) this.#makeRoom();
    return question.sorted;
  }

  #takeInChanges(question: Question, now: number): void {
    const { standingOf, sorted, timed } = question;
    const end = this.#from + this.#changes.length;
    if (question.upTo === end) return;
    // As each was when this answer was last up to date: the first of its changes since then.
    const before = new Map<Key, Hold | undefined>();
    for (let at = question.upTo - this.#from; at < this.#changes.length; at++) {
      const change = this.#changes[at];
      if (change !== undefined && !before.has(change.key)) before.set(change.key, change.before);
    }
    question.upTo = end;
    for (const [key, was] of before) {
      const is = this.holds.get(key);
      if (timed !== undefined) timed.place(sorted, key, is, now);
      else move(sorted, key, was && standingOf(was), is && standingOf(is));
    }
  }

  #made(filter: string, { field, direction }: Order, within: KeyRange | undefined, now: number): Question {
    const { fits: matches, timed: term } = matchingOf(filter);
    const fits = within === undefined ? matches : (hold: Hold) => within.has(hold.key) && matches(hold);
    const order = sortValuesOf(field);
    const isTimed = term !== undefined || order.turnsAt !== undefined;
    const timed = isTimed ? new Timed({ fits, term, order }, this.holds, this.knows.usual, now) : undefined;
    const standingOf: StandingOf = (hold) => (fits(hold) ? order.sortValueOf(hold, now, NEVER) : undefined);
    const sorted = this.#sorted(timed === undefined ? standingOf : (hold) => timed.add(hold, now), direction);
    return { standingOf, sorted, timed, upTo: this.#from + this.#changes.length };
  }

  #sorted(standingOf: StandingOf, direction: Direction): SortedKeys {
    const keys: Key[] = [];
    const values: SortValue[] = [];
    for (const [key, hold] of this.holds) {
      const value = standingOf(hold);
      if (value === undefined) continue;
      keys.push(key);
      values.push(value);
    }
    return SortedKeys.of(direction, values, keys);
  }

  #forgetOlder(): void {
    const half = this.#changes.length >> 1;
    this.#changes = this.#changes.slice(half);
    this.#from += half;
    for (const [name, { upTo }] of this.#known) if (upTo < this.#from) this.#known.delete(name);
    if (this.#known.size === 0) this.#changes = [];
  }

  #makeRoom(): void {
    const most = Math.max(ENTRIES_MIN, ENTRIES_A_HOLD * this.holds.size);
    let entries = 0;
    for (const question of this.#known.values()) entries += entriesOf(question);
    for (const [name, question] of this.#known) {
      if (this.#known.size === 1 || (entries <= most && this.#known.size <= QUESTIONS_MAX)) return;
      entries -= entriesOf(question);
      this.#known.delete(name);
    }
  }
}

/** What time turns takes about eight times the memory of an entry that it does not. */
function entriesOf({ sorted, timed }: Question): number {
  return sorted.size + 8 * (timed?.size ?? 0);
}
