import type { OwnerSortField, OwnersBy } from "../../../lib/contract/owner.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { inShares } from "../../concurrency/for-each-yielding.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import type { KeyRange } from "../../redis/glob.ts";
import { heldSince } from "../holds/abnormal.ts";
import { type Hold, sinceOf } from "../holds/observed-hold.ts";
import type { AbnormalKeys } from "./abnormal-keys.ts";
import { matchingOf } from "./filter-compiler.ts";
import { type Counted, Group, type Part } from "./hold-group.ts";
import { type Direction, SortedKeys, type SortValue } from "./sorted-keys.ts";

export interface GroupOrder {
  readonly field: OwnerSortField;
  readonly direction: Direction;
}

/** Keys that begin with a prefix, by the next segments of them. */
export interface Namespaces {
  readonly prefix: string;
  readonly depth: number;
}

export type GroupsBy = OwnersBy | Namespaces;

export interface GroupsAsked {
  readonly by: GroupsBy;
  readonly filter: string;
  readonly order: GroupOrder;
  /** Only such keys count, whatever is asked for. */
  readonly within?: KeyRange | undefined;
}

/** So many lists are kept; each is as large as there are owners. */
const KEPT_MAX = 4;
/** Of lists with few groups more are kept, each of which costs a change little: a tree of names has one a branch. */
const SMALL_KEPT_MAX = 32;
const SMALL = 1000;
/** After so long without a question a list is let go of, so that changes cost nothing again. */
const KEPT_MS = 30_000;

/** So many may be made at once: each has a copy of the list of all locks, and they take turns. */
const MAKING_MAX = 16;

interface Kept {
  readonly grouping: Grouping;
  readonly ready: Promise<void>;
  askedAt: number;
}

/**
 * Who has which locks. What was asked for lately is kept up with each change (some 2 µs each); the first time costs a
 * walk over all locks, in shares.
 */
export class Groups {
  /** The one asked last comes last. */
  readonly #kept = new Map<string, Kept>();
  #making = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, Hold>,
    private readonly abnormal: Pick<AbnormalKeys, "keys" | "pass">,
  ) {}

  /** How many lists are kept. */
  get size(): number {
    return this.#kept.size;
  }

  changed(before: Counted | undefined, after: Counted | undefined): void {
    if (this.#kept.size === 0) return;
    const now = performance.now();
    for (const [name, { grouping, askedAt }] of this.#kept) {
      if (now - askedAt > KEPT_MS) this.#kept.delete(name);
      else grouping.change(before, after);
    }
  }

  /** @returns undefined: too many others are being made */
  async ask(asked: GroupsAsked): Promise<Grouping | undefined> {
    this.abnormal.pass();
    const { by, filter, order, within } = asked;
    const name = JSON.stringify([by, filter, order.field, order.direction, within?.patterns]);
    const known = this.#kept.get(name);
    if (known === undefined && this.#making >= MAKING_MAX) return undefined;
    const kept = known ?? this.#begun(asked);
    kept.askedAt = performance.now();
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    this.#makeRoom();
    await kept.ready;
    // How large it is was not known before.
    this.#makeRoom();
    return kept.grouping;
  }

  #begun(asked: GroupsAsked): Kept {
    const grouping = new Grouping(asked);
    this.#making++;
    const made = grouping.fill([...this.holds.values()], this.abnormal.keys());
    const ready = made.finally(() => this.#making--);
    return { grouping, ready, askedAt: 0 };
  }

  #makeRoom(): void {
    const counts = { small: 0, large: 0 };
    for (const [name, { grouping }] of [...this.#kept].reverse()) {
      // One that is let go of is told of no change, and somebody waits for it.
      if (!grouping.isMade) continue;
      const isSmall = grouping.size <= SMALL;
      const count = isSmall ? ++counts.small : ++counts.large;
      if (count > (isSmall ? SMALL_KEPT_MAX : KEPT_MAX)) this.#kept.delete(name);
    }
  }
}

/** The groups of all locks that match, in an order. */
export class Grouping {
  readonly #groups = new Map<Key, Group>();
  readonly #matches: (hold: Hold) => boolean;
  readonly #partsOf: PartsOf;
  readonly #valueOf: (group: Group, name: Key) => SortValue;
  readonly #direction: Direction;
  #sorted: SortedKeys;
  /** What changed while it was being made; undefined: it is made. */
  #changes: (readonly [Counted | undefined, Counted | undefined])[] | undefined = [];
  /** Locks that match, and have no such name. */
  without = 0;

  constructor({ by, filter, order, within }: GroupsAsked) {
    // What time turns is not asked of groups: their filters refuse it.
    const { fits } = matchingOf(filter);
    const prefix = typeof by === "string" ? "" : by.prefix;
    this.#matches = (hold) => hold.key.startsWith(prefix) && (within?.has(hold.key) ?? true) && fits(hold);
    this.#partsOf = typeof by === "string" ? heldBy(by) : inNamespace(by);
    this.#valueOf = VALUE_OF[order.field];
    this.#direction = order.direction;
    this.#sorted = new SortedKeys(order.direction);
  }

  /** To be called once, with all locks and which of them are abnormal; what changes from then on is told to `change`. */
  async fill(holds: readonly Hold[], abnormal: Iterable<Key>): Promise<void> {
    const wasAbnormal = new Set(abnormal);
    await inShares(holds, (hold) => this.#count({ hold, isAbnormal: wasAbnormal.has(hold.key) }, 1));
    const names = [...this.#groups.keys()];
    const values = [...this.#groups].map(([name, group]) => this.#valueOf(group, name));
    this.#sorted = SortedKeys.of(this.#direction, values, names);
    const changes = this.#changes ?? [];
    this.#changes = undefined;
    for (const [before, after] of changes) this.change(before, after);
  }

  get isMade(): boolean {
    return this.#changes === undefined;
  }

  get sorted(): SortedKeys {
    return this.#sorted;
  }

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size;
  }

  get(name: Key): Group | undefined {
    return this.#groups.get(name);
  }

  change(before: Counted | undefined, after: Counted | undefined): void {
    if (this.#changes !== undefined) {
      this.#changes.push([before, after]);
      return;
    }
    const touched = new Map<Key, SortValue | undefined>();
    for (const counted of [before, after]) {
      if (counted === undefined || !this.#matches(counted.hold)) continue;
      for (const [name] of this.#partsOf(counted.hold)) touched.set(name, this.#valueNow(name));
    }
    if (before !== undefined) this.#count(before, -1);
    if (after !== undefined) this.#count(after, 1);
    for (const [name, then] of touched) {
      const now = this.#valueNow(name);
      if (then === now) continue;
      if (then !== undefined) this.#sorted.delete(then, name);
      if (now !== undefined) this.#sorted.insert(now, name);
    }
  }

  #valueNow(name: Key): SortValue | undefined {
    const group = this.#groups.get(name);
    return group && this.#valueOf(group, name);
  }

  #count(counted: Counted, by: 1 | -1): void {
    const { hold } = counted;
    if (!this.#matches(hold)) return;
    const parts = this.#partsOf(hold);
    if (parts.length === 0) this.without += by;
    for (const part of parts) {
      const [name] = part;
      const known = this.#groups.get(name);
      const group = known ?? new Group();
      if (known === undefined) this.#groups.set(name, group);
      if (by === 1) group.add(counted, part);
      else group.delete(counted, part);
      if (group.isEmpty) this.#groups.delete(name);
    }
  }
}

/** In which groups a lock counts, each once. */
type PartsOf = (hold: Hold) => readonly Part[];

function heldBy(by: OwnersBy): PartsOf {
  const nameOf = by === "owner" ? ({ owner }: SeenHolder) => owner : ({ record }: SeenHolder) => record?.[by];
  return ({ holders }) => {
    const [first, second] = holders;
    if (second === undefined) {
      const name = nameOf(first.seen);
      return name === undefined ? NOBODY : [[name, sinceOf(first).since]];
    }
    const parts = new Map<Key, number>();
    for (const holder of holders) {
      const name = nameOf(holder.seen);
      if (name === undefined) continue;
      const { since } = sinceOf(holder);
      parts.set(name, Math.min(since, parts.get(name) ?? since));
    }
    return [...parts];
  };
}

function inNamespace({ prefix, depth }: Namespaces): PartsOf {
  return (hold) => {
    const { key } = hold;
    let end = prefix.length;
    for (let segment = 0; segment < depth; segment++) {
      end = key.indexOf(":", end) + 1;
      // Its own name is no namespace, and so nobody's list is as long as there are keys of one.
      if (end === 0) return NOBODY;
    }
    return [[key.slice(0, end), heldSince(hold), key.includes(":", end)]];
  };
}

const NOBODY: readonly never[] = [];

const VALUE_OF: Record<OwnerSortField, (group: Group, name: Key) => SortValue> = {
  name: (_group, name) => name,
  holds: ({ holds }) => holds,
  abnormal: ({ abnormal }) => abnormal,
  // The longer it is held, the earlier it began.
  held: ({ oldest: [since] }) => -since,
  waiters: ({ waiters }) => waiters.count ?? 0,
};
