import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { timedTermOf } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";
import type { Knows } from "./query-cache.ts";
import { Timed } from "./time-dependent-index.ts";

const ASKING = {
  fits: () => true,
  term: timedTermOf({ field: "is", state: "abnormal" }),
  order: { sortValueOf: ({ seen }: Hold) => seen.format, turnsAt: undefined },
};

/**
 * Which locks `is:abnormal` finds, kept up with each change and as time turns them, so that whoever counts them says
 * the same. A change costs some 2 µs; what time turns as much; asking nothing.
 */
export class AbnormalKeys {
  readonly #byFormat = new Map<FormatName, number>();
  readonly #timed: Timed<FormatName>;
  #isPassing = false;

  /** @param turned told of what time alone turned */
  constructor(
    private readonly holds: ReadonlyMap<Key, Hold>,
    private readonly knows: Knows,
    private readonly turned: (hold: Hold, isAbnormal: boolean) => void,
  ) {
    this.#timed = new Timed(ASKING, holds, knows.usual, 0);
  }

  has(key: Key): boolean {
    return this.#timed.has(key);
  }

  keys(): Iterable<Key> {
    return this.#timed.keys();
  }

  /** How many of each format; those of which there are none may be left out. */
  get byFormat(): ReadonlyMap<FormatName, number> {
    return this.#byFormat;
  }

  /** Takes in a key as it is in the picture now. */
  changed(key: Key): void {
    this.#timed.place(this, key, this.holds.get(key), this.knows.now());
  }

  /** Takes in that time has passed. */
  pass(): void {
    this.#isPassing = true;
    try {
      this.#timed.pass(this, this.knows.now());
    } finally {
      this.#isPassing = false;
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
    this.#byFormat.set(format, (this.#byFormat.get(format) ?? 0) + by);
    const hold = this.#isPassing ? this.holds.get(key) : undefined;
    if (hold !== undefined) this.turned(hold, by === 1);
  }
}
