import type { Key } from "../../../lib/keys/key.ts";
import { isTimeDependent } from "../../../lib/query/filter.ts";
import { forEachYielding } from "../../concurrency/for-each-yielding.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { FacetCounts, type FacetQuery } from "./facet-counts.ts";
import type { LockIndexDeps } from "./query-context.ts";

/** An answer is kept for so long, in ms, and for longer when it took long: counting takes a twentieth of the time. */
const FRESH_MS = 1000;
const FRESH_FACTOR = 20;
/** So many answers are kept, the ones asked for last. */
const ENTRIES_MAX = 32;
/** So many different ones may wait for their turn. */
const WAITING_MAX = 16;

interface CachedCounts {
  readonly counts: Promise<FacetCounts>;
  /** Of the picture when it was asked for. */
  readonly revision: number;
  /** `performance.now()` until which it is as good as new; undefined: it is being counted. */
  freshUntil: number | undefined;
}

/**
 * Counts what the locks that match a filter have in common: a walk over all of them, in shares of some ms, one question
 * after the other. Whoever asks the same gets the same answer, for as long as the picture stays or a moment.
 */
export class FacetCountCache {
  /** The one asked last comes last. */
  readonly #entries = new Map<string, CachedCounts>();
  #lastCount: Promise<unknown> = Promise.resolve();
  #waitingCount = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly deps: LockIndexDeps,
    private readonly getRevision: () => number,
  ) {}

  /** @returns undefined: too many others wait for their turn */
  query(query: FacetQuery): Promise<FacetCounts> | undefined {
    const name = JSON.stringify([query.filter, query.allowedKeys?.patterns]);
    const known = this.#entries.get(name);
    if (known !== undefined && this.#isFresh(known, query)) {
      this.#entries.delete(name);
      this.#entries.set(name, known);
      return known.counts;
    }
    if (this.#waitingCount >= WAITING_MAX) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, this.#startCount(query, name));
    for (const oldest of this.#entries.keys())
      if (this.#entries.size > ENTRIES_MAX) this.#entries.delete(oldest);
    return this.#entries.get(name)?.counts;
  }

  #isFresh({ revision, freshUntil }: CachedCounts, { filter }: FacetQuery): boolean {
    if (freshUntil === undefined || performance.now() < freshUntil) return true;
    return revision === this.getRevision() && !isTimeDependent(filter);
  }

  #startCount(query: FacetQuery, name: string): CachedCounts {
    this.#waitingCount++;
    const counts = this.#lastCount.then(() => this.#countFacets(query));
    const cached: CachedCounts = { counts, revision: this.getRevision(), freshUntil: undefined };
    this.#lastCount = counts.then(
      ({ tookMs }) => {
        cached.freshUntil = performance.now() + Math.max(FRESH_MS, FRESH_FACTOR * tookMs);
      },
      () => this.#entries.delete(name),
    );
    void this.#lastCount.finally(() => this.#waitingCount--);
    return cached;
  }

  async #countFacets(query: FacetQuery): Promise<FacetCounts> {
    const counts = new FacetCounts(query, this.deps, this.getRevision());
    let begunAt: number | undefined;
    // Holds do not change, so this is how things stand at one moment, however long it takes.
    await forEachYielding(
      [...this.holds.values()],
      (hold) => {
        // What it waited for its turn is not its own.
        begunAt ??= performance.now();
        counts.add(hold);
      },
      query.owner,
    );
    counts.tookMs = begunAt === undefined ? 0 : performance.now() - begunAt;
    return counts;
  }
}
