import type { Key } from "../../lib/contract/key.ts";
import type { LockSortField } from "../../lib/contract/list.ts";
import type { KeyRange } from "../redis/glob.ts";
import type { UsualHeld } from "./abnormal.ts";
import type { Hold } from "./hold.ts";
import { type Matches, matchingOf } from "./matching.ts";
import { type SortValueOf, sortValuesOf } from "./sort-values.ts";
import { type Direction, SortedKeys, type SortValue } from "./sorted-keys.ts";
import { move, Timed } from "./timed.ts";

export interface Order {
  readonly field: LockSortField;
  readonly direction: Direction;
}

export function orderOf(sort: string): Order {
  const field = (sort.startsWith("-") ? sort.slice(1) : sort) as LockSortField;
  return { field, direction: sort.startsWith("-") ? -1 : 1 };
}

/** What one order knows: the holds as they were when it was last brought up to date. */
interface Question {
  readonly matches: Matches;
  readonly sortValueOf: SortValueOf;
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
    const known = this.#known.get(name);
    if (known !== undefined) this.#known.delete(name);
    const question = known ?? this.#made(filter, order, within);
    this.#known.set(name, question);
    this.#bringUpToDate(question);
    if (known === undefined) this.#makeRoom();
    return question.sorted;
  }

  #bringUpToDate(question: Question): void {
    const now = this.knows.now();
    this.#takeInChanges(question, now);
    question.timed?.pass(question.sorted, this.holds, now);
  }

  #takeInChanges(question: Question, now: number): void {
    const { matches, sortValueOf, sorted, timed } = question;
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
      if (timed !== undefined) {
        timed.place(sorted, key, is, now);
        continue;
      }
      const then = was !== undefined && matches(was, now) ? sortValueOf(was, now) : undefined;
      const value = is !== undefined && matches(is, now) ? sortValueOf(is, now) : undefined;
      move(sorted, key, then, value);
    }
  }

  #made(filter: string, order: Order, within: KeyRange | undefined): Question {
    const { usual } = this.knows;
    const { matches: fits, turnsAt } = matchingOf(filter, usual);
    const matches: Matches =
      within === undefined ? fits : (hold, now) => within.has(hold.key) && fits(hold, now);
    const { sortValueOf, turnsAt: movesAt } = sortValuesOf(order.field, usual);
    const turns = [turnsAt, movesAt].filter((turn) => turn !== undefined);
    const upTo = this.#from + this.#changes.length;
    const now = this.knows.now();
    if (turns.length === 0) {
      const sorted = this.#sorted(matches, sortValueOf, order, now);
      return { matches, sortValueOf, sorted, timed: undefined, upTo };
    }
    const timed = new Timed(matches, sortValueOf, (hold, at) =>
      Math.min(...turns.map((turn) => turn(hold, at))),
    );
    const sorted = this.#sorted((hold) => timed.add(hold, now), sortValueOf, order, now);
    return { matches, sortValueOf, sorted, timed, upTo };
  }

  #sorted(matches: Matches, sortValueOf: SortValueOf, { direction }: Order, now: number): SortedKeys {
    const keys: Key[] = [];
    const values: SortValue[] = [];
    for (const [key, hold] of this.holds) {
      if (!matches(hold, now)) continue;
      keys.push(key);
      values.push(sortValueOf(hold, now));
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
