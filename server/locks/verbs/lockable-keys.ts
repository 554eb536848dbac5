import type { Key } from "../../../lib/keys/key.ts";
import { KeyNotAllowedError } from "../../errors/lock-errors.ts";
import { KeyPatternSet } from "../../redis/glob.ts";
import { assertMappable } from "./error-factories.ts";

/** The patterns of the keys that clients may lock. */
export class LockableKeys {
  readonly #range: KeyPatternSet;

  constructor(private readonly patterns: readonly string[]) {
    this.#range = new KeyPatternSet(patterns);
  }

  /** @throws KeyNotAllowedError */
  assertAllowed(key: Key): void {
    assertMappable(key);
    if (this.#range.has(key)) return;
    throw new KeyNotAllowedError(
      `The API locks only keys that match ${this.patterns.join(", ")}. Rename the lock, or extend LOCKKEEPER_LOCKABLE.`,
      { lockable: [...this.patterns] },
    );
  }
}
