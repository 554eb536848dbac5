import type { Key } from "../../../lib/keys/key.ts";
import { KeyNotAllowedError } from "../../errors/lock-errors.ts";
import { KeyPatternSet } from "../../redis/glob.ts";
import { assertMappable } from "./error-factories.ts";

/** The patterns for the keys that clients are allowed to lock. */
export class LockableKeys {
  readonly #range: KeyPatternSet;

  constructor(private readonly patterns: readonly string[]) {
    this.#range = new KeyPatternSet(patterns);
  }

  /** @throws KeyNotAllowedError unless the key matches a pattern and Lockkeeper can use it as a lock */
  assertAllowed(key: Key): void {
    assertMappable(key);
    if (this.#range.has(key)) return;
    throw new KeyNotAllowedError(
      `The API locks only keys that match ${this.patterns.join(", ")}. Rename the lock, or extend LOCKKEEPER_LOCKABLE.`,
      { lockable: [...this.patterns] },
    );
  }
}
