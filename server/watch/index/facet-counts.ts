import { FACET_FIELDS, FACET_VALUES_MAX, type FacetField } from "../../../lib/contract/facet.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { type FilterTerm, parseFilter } from "../../../lib/query/filter.ts";
import type { KeyRange } from "../../redis/glob.ts";
import { NEVER } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { type Matches, matchingOfTerms } from "./filter-compiler.ts";
import type { Knows } from "./query-cache.ts";

export interface FacetsAsked {
  readonly filter: string;
  /** Only such keys count, whatever is asked for. */
  readonly within?: KeyRange | undefined;
}

export interface CountedValue {
  readonly value: Key;
  readonly locks: number;
}

/**
 * How many locks have which values. A lock counts for a facet when it matches all of the filter but the facet's own
 * words: so the other values of what was chosen are still seen.
 */
export class FacetCounts {
  /** How many match the whole filter. */
  total = 0;
  /** When it was counted, by Redis's clock. */
  readonly nowMs: number;
  /** For how long it was counted, others' turns among it. */
  tookMs = 0;
  readonly #own: readonly (readonly [FacetField, Matches])[];
  readonly #rest: Matches;
  readonly #counts = new Map<FacetField, Map<Key, number>>(FACET_FIELDS.map((field) => [field, new Map()]));
  readonly #without = new Map<FacetField, number>();

  /** @param revision of the picture that is counted */
  constructor(
    { filter, within }: FacetsAsked,
    { now, usual }: Knows,
    readonly revision: number,
  ) {
    const terms = parseFilter(filter);
    const nowMs = now();
    this.nowMs = nowMs;
    const matches = (these: readonly FilterTerm[]): Matches => {
      const { fits, timed } = matchingOfTerms(these);
      if (timed === undefined) return fits;
      const usualOf = timed.isOfUsual ? ({ key }: Hold) => usual(key) ?? NEVER : () => NEVER;
      return (hold) => fits(hold) && timed.matches(hold, nowMs, usualOf(hold));
    };
    const fits = matches(terms.filter((term) => facetOf(term) === undefined));
    this.#rest = within === undefined ? fits : (hold) => within.has(hold.key) && fits(hold);
    this.#own = FACET_FIELDS.flatMap((field) => {
      const own = terms.filter((term) => facetOf(term) === field);
      return own.length === 0 ? [] : [[field, matches(own)] as const];
    });
  }

  add(hold: Hold): void {
    if (!this.#rest(hold)) return;
    let failing: FacetField | undefined;
    for (const [field, matches] of this.#own) {
      if (matches(hold)) continue;
      if (failing !== undefined) return;
      failing = field;
    }
    if (failing !== undefined) {
      this.#count(failing, hold);
      return;
    }
    this.total++;
    for (const field of FACET_FIELDS) this.#count(field, hold);
  }

  without(field: FacetField): number {
    return this.#without.get(field) ?? 0;
  }

  /** How many values there are. */
  size(field: FacetField): number {
    return this.#counts.get(field)?.size ?? 0;
  }

  /** Those that most locks have, by their number and then by name: found in one walk, there may be very many. */
  top(field: FacetField): CountedValue[] {
    const top: CountedValue[] = [];
    for (const [value, locks] of this.#counts.get(field) ?? []) {
      const one = { value, locks };
      const last = top[FACET_VALUES_MAX - 1];
      if (last !== undefined && !isBefore(one, last)) continue;
      const at = top.findIndex((other) => isBefore(one, other));
      top.splice(at < 0 ? top.length : at, 0, one);
      if (top.length > FACET_VALUES_MAX) top.pop();
    }
    return top;
  }

  #count(field: FacetField, hold: Hold): void {
    const values = VALUES_OF[field](hold);
    if (values.length === 0) this.#without.set(field, this.without(field) + 1);
    const counts = this.#counts.get(field);
    for (const value of values) counts?.set(value, (counts.get(value) ?? 0) + 1);
  }
}

function isBefore(one: CountedValue, other: CountedValue): boolean {
  return one.locks === other.locks ? one.value < other.value : one.locks > other.locks;
}

/** Whose own word it is; undefined: no facet's. */
function facetOf(term: FilterTerm): FacetField | undefined {
  return FACET_FIELDS.find((field) => field === term.field);
}

/** Each value once, and no list of its own for what has one. */
const VALUES_OF: Readonly<Record<FacetField, (hold: Hold) => readonly Key[]>> = {
  format: ({ seen: { format, candidates } }) =>
    candidates.length === 0 ? one(format) : [...new Set<Key>([format, ...candidates])],
  kind: ({ seen }) => one(seen.kind),
  verdict: ({ judgement }) => one(judgement.state),
  service: (hold) => told(hold, "service"),
  host: (hold) => told(hold, "host"),
  waiters: ({ seen }) => (seen.waiters?.count ? WAITING : NONE),
};

const NONE: readonly never[] = [];
const WAITING = ["waiting"] as const;
const lists = new Map<Key, readonly Key[]>();

/** Of formats, kinds and verdicts, of which there are few. */
function one(value: Key): readonly Key[] {
  const known = lists.get(value);
  if (known !== undefined) return known;
  const made = [value];
  lists.set(value, made);
  return made;
}

function told({ seen: { holders } }: Hold, field: "service" | "host"): readonly Key[] {
  const [first, second] = holders;
  const only = first.record?.[field];
  if (second === undefined) return only === undefined ? NONE : [only];
  return [...new Set(holders.flatMap(({ record }) => record?.[field] ?? []))];
}
