import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { compileTimeDependentTerm } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import type { LockIndexDeps } from "./query-context.ts";
import { TimeDependentIndex } from "./time-dependent-index.ts";

const ATTENTION_QUERY = {
  fits: () => true,
  term: compileTimeDependentTerm({ field: "is", state: "needs_attention" }),
  order: { computeSortValue: ({ seen }: ObservedHold) => seen.format, computeChangeAt: undefined },
};

/**
 * The set of keys that `is:needs_attention` matches, updated with each change and as time passes. All counts of locks
 * that need attention use this class, so the counts agree with the filter. An update takes about 2 µs per changed lock.
 */
export class AttentionKeys {
  readonly #countsByFormat = new Map<FormatName, number>();
  readonly #timeIndex: TimeDependentIndex<FormatName>;
  #isAdvancing = false;

  /** @param onTimeChange called for each lock that starts or stops needing attention only because time passed */
  constructor(
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly deps: LockIndexDeps,
    private readonly onTimeChange: (hold: ObservedHold, needsAttention: boolean) => void,
  ) {
    this.#timeIndex = new TimeDependentIndex(ATTENTION_QUERY, holds, deps.getTypicalHeldMs, 0);
  }

  has(key: Key): boolean {
    return this.#timeIndex.has(key);
  }

  keys(): Iterable<Key> {
    return this.#timeIndex.keys();
  }

  /** Number of locks that need attention, by format. A format without such locks has the count 0 or no entry. */
  get countsByFormat(): ReadonlyMap<FormatName, number> {
    return this.#countsByFormat;
  }

  /** Updates the entry of a key after its hold in the index has changed. */
  updateKey(key: Key): void {
    this.#timeIndex.placeKey(this, key, this.holds.get(key), this.deps.now());
  }

  /**
   * Reassesses the keys whose result may have changed since the last call because time has passed or typical hold times
   * have changed.
   */
  advance(): void {
    this.#isAdvancing = true;
    try {
      this.#timeIndex.advance(this, this.deps.now());
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Counts a key that now needs attention. Called by `TimeDependentIndex`. */
  insert(format: FormatName, key: Key): void {
    this.#count(format, key, 1);
  }

  /** Stops counting a key that has stopped needing attention. Called by `TimeDependentIndex`. */
  delete(format: FormatName, key: Key): void {
    this.#count(format, key, -1);
  }

  #count(format: FormatName, key: Key, by: 1 | -1): void {
    this.#countsByFormat.set(format, (this.#countsByFormat.get(format) ?? 0) + by);
    const hold = this.#isAdvancing ? this.holds.get(key) : undefined;
    if (hold !== undefined) this.onTimeChange(hold, by === 1);
  }
}
