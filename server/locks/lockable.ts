import { type Key, textOfKey } from "../../lib/contract/key.ts";
import { Glob, matchesAny } from "../redis/glob.ts";
import { KeyNotAllowedError } from "./errors.ts";
import { assertMappable } from "./refusals.ts";

/** Which keys may be locked. */
export class Lockable {
  readonly #globs: readonly Glob[];

  constructor(private readonly patterns: readonly string[]) {
    this.#globs = patterns.map((pattern) => new Glob(pattern));
  }

  /** @throws KeyNotAllowedError */
  assert(key: Key): void {
    assertMappable(key);
    if (matchesAny(this.#globs, textOfKey(key))) return;
    throw new KeyNotAllowedError(
      `The API may lock keys that match ${this.patterns.join(", ")}. Name the lock so, or widen LOCKKEEPER_LOCKABLE.`,
      { lockable: [...this.patterns] },
    );
  }
}
