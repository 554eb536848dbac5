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
 * Which locks `is:needs_attention` finds, kept up with each change and as time turns them, so that whoever counts them says
 * the same. A change costs some 2 µs; what time turns as much; asking nothing.
 */
export class AttentionKeys {
  readonly #countsByFormat = new Map<FormatName, number>();
  readonly #timeIndex: TimeDependentIndex<FormatName>;
  #isAdvancing = false;

  /** @param onTimeChange told of what time alone turned */
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

  /** How many of each format; those of which there are none may be left out. */
  get countsByFormat(): ReadonlyMap<FormatName, number> {
    return this.#countsByFormat;
  }

  /** Takes in a key as it is in the picture now. */
  updateKey(key: Key): void {
    this.#timeIndex.placeKey(this, key, this.holds.get(key), this.deps.now());
  }

  /** Takes in that time has passed. */
  advance(): void {
    this.#isAdvancing = true;
    try {
      this.#timeIndex.advance(this, this.deps.now());
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Called by `Timed`. */
  insert(format: FormatName, key: Key): void {
    this.#count(format, key, 1);
  }

  /** Called by `Timed`. */
  delete(format: FormatName, key: Key): void {
    this.#count(format, key, -1);
  }

  #count(format: FormatName, key: Key, by: 1 | -1): void {
    this.#countsByFormat.set(format, (this.#countsByFormat.get(format) ?? 0) + by);
    const hold = this.#isAdvancing ? this.holds.get(key) : undefined;
    if (hold !== undefined) this.onTimeChange(hold, by === 1);
  }
}
