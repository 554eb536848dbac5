import type { Key } from "../../../lib/keys/key.ts";
import { KeyNotAllowedError } from "../../errors/lock-errors.ts";
import { KeyRange } from "../../redis/glob.ts";
import { assertMappable } from "./error-factories.ts";

/** Which keys may be locked. */
export class Lockable {
  readonly #range: KeyRange;

  constructor(private readonly patterns: readonly string[]) {
    this.#range = new KeyRange(patterns);
  }

  /** @throws KeyNotAllowedError */
  assert(key: Key): void {
    assertMappable(key);
    if (this.#range.has(key)) return;
    throw new KeyNotAllowedError(
      `The API may lock keys that match ${this.patterns.join(", ")}. Name the lock so, or widen LOCKKEEPER_LOCKABLE.`,
      { lockable: [...this.patterns] },
    );
  }
}
