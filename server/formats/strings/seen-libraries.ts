import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { type FormatRules, NO_RULES } from "../format-rules.ts";
import type { Observation } from "../observation.ts";
import { SIGNALLED_LIBRARIES, type SignalledLibrary } from "../release-signals.ts";

/**
 * Tracks which libraries may have waiters for a key: the library that a format rule assigns to the key, and libraries
 * that may have created a lock that was read on the target since startup. A wrong guess causes only a few messages
 * without subscribers.
 */
export class SeenLibraries {
  /** Returns the current format rules; by default, none. */
  getRules = (): FormatRules => NO_RULES;
  #seen: readonly SignalledLibrary[] = [];

  record(observation: Observation): void {
    if (this.#seen.length === SIGNALLED_LIBRARIES.length || observation.state !== "held") return;
    const { type, format, candidates } = observation;
    if (type !== "string") return;
    const found = SIGNALLED_LIBRARIES.filter((name) => format === name || candidates.includes(name));
    if (found.length > 0) this.#seen = [...new Set([...this.#seen, ...found])];
  }

  find(key: Key): readonly SignalledLibrary[] {
    const named = this.getRules().findFormat(key);
    if (named === undefined || !isSignalled(named) || this.#seen.includes(named)) return this.#seen;
    return [...this.#seen, named];
  }
}

function isSignalled(format: FormatName): format is SignalledLibrary {
  return SIGNALLED_LIBRARIES.some((name) => name === format);
}
