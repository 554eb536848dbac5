import type { Key } from "../../../lib/keys/key.ts";
import { isTimed } from "../../../lib/query/filter.ts";
import { inShares } from "../../concurrency/for-each-yielding.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { FacetCounts, type FacetsAsked } from "./facet-counts.ts";
import type { Knows } from "./query-cache.ts";

/** An answer is kept for so long, in ms, and for longer when it took long: counting takes a twentieth of the time. */
const KEPT_MS = 1000;
const KEPT_TIMES = 20;
/** So many answers are kept, the ones asked for last. */
const KEPT_MAX = 32;
/** So many different ones may wait for their turn. */
const WAITING_MAX = 16;

interface Kept {
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
export class FacetSurveys {
  /** The one asked last comes last. */
  readonly #kept = new Map<string, Kept>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(
    private readonly holds: ReadonlyMap<Key, Hold>,
    private readonly knows: Knows,
    private readonly revision: () => number,
  ) {}

  /** @returns undefined: too many others wait for their turn */
  ask(asked: FacetsAsked): Promise<FacetCounts> | undefined {
    const name = JSON.stringify([asked.filter, asked.within?.patterns]);
    const known = this.#kept.get(name);
    if (known !== undefined && this.#isFresh(known, asked)) {
      this.#kept.delete(name);
      this.#kept.set(name, known);
      return known.counts;
    }
    if (this.#waiting >= WAITING_MAX) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, this.#begun(asked, name));
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT_MAX) this.#kept.delete(oldest);
    return this.#kept.get(name)?.counts;
  }

  #isFresh({ revision, freshUntil }: Kept, { filter }: FacetsAsked): boolean {
    if (freshUntil === undefined || performance.now() < freshUntil) return true;
    return revision === this.revision() && !isTimed(filter);
  }

  #begun(asked: FacetsAsked, name: string): Kept {
    this.#waiting++;
    const counts = this.#last.then(() => this.#counted(asked));
    const kept: Kept = { counts, revision: this.revision(), freshUntil: undefined };
    this.#last = counts.then(
      ({ tookMs }) => {
        kept.freshUntil = performance.now() + Math.max(KEPT_MS, KEPT_TIMES * tookMs);
      },
      () => this.#kept.delete(name),
    );
    void this.#last.finally(() => this.#waiting--);
    return kept;
  }

  async #counted(asked: FacetsAsked): Promise<FacetCounts> {
    const counts = new FacetCounts(asked, this.knows, this.revision());
    let begunAt: number | undefined;
    // Holds do not change, so this is how things stand at one moment, however long it takes.
    await inShares([...this.holds.values()], (hold) => {
      // What it waited for its turn is not its own.
      begunAt ??= performance.now();
      counts.add(hold);
    });
    counts.tookMs = begunAt === undefined ? 0 : performance.now() - begunAt;
    return counts;
  }
}
