import type { Key } from "../../../lib/keys/key.ts";
import { isTimeDependent } from "../../../lib/query/filter.ts";
import { forEachYielding } from "../../concurrency/for-each-yielding.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { FacetCounts, type FacetQuery } from "./facet-counts.ts";
import type { LockIndexDeps } from "./query-context.ts";

/**
 * Minimum time, in ms, for which counts are reused. A count that took `tookMs` is reused for at least 20 times as long,
 * so repeating one query uses at most a twentieth of the time.
 */
const FRESH_MS = 1000;
const FRESH_FACTOR = 20;
/** Maximum number of cached results. Above this limit, the least recently used results are dropped. */
const ENTRIES_MAX = 32;
/** Maximum number of queries that are queued or running. */
const WAITING_MAX = 16;

interface CachedCounts {
  readonly counts: Promise<FacetCounts>;
  /** Revision of the index when the query was queued. */
  readonly revision: number;
  /** Time (`performance.now()`) until which the counts are fresh. `undefined` until the count has finished. */
  freshUntil: number | undefined;
}

/**
 * Counts the facet values of the locks that match a filter, and caches the counts. A count iterates over all locks in
 * slices, and only one count runs at a time. Identical queries share a result for a short time. If the filter does not
 * depend on time, they share the result at least until the index changes.
 */
export class FacetCountCache {
  /** Entries by query, least recently used first. */
  readonly #entries = new Map<string, CachedCounts>();
  #lastCount: Promise<unknown> = Promise.resolve();
  #waitingCount = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly deps: LockIndexDeps,
    private readonly getRevision: () => number,
  ) {}

  /** @returns the counts, or `undefined` if too many queries are queued */
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
    // The iteration uses a copy of the list, and holds are immutable. All counts are therefore as of the same time.
    await forEachYielding(
      [...this.holds.values()],
      (hold) => {
        // Measuring from the first hold excludes the time in the queue.
        begunAt ??= performance.now();
        counts.add(hold);
      },
      query.owner,
    );
    counts.tookMs = begunAt === undefined ? 0 : performance.now() - begunAt;
    return counts;
  }
}
