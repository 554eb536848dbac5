import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

type Rules = Pick<FormatRules, "findFormat">;

/**
 * Tells what new format rules make of keys from what happens to them: until every key was read by the new rules, a key
 * that is another lock than before, or no lock any more, may not have changed in Redis at all.
 */
export class RuleChange {
  readonly #startedAt = performance.now();

  constructor(
    private readonly before: Rules,
    private readonly after: Rules,
  ) {}

  /** Whether a reading differs from the hold in the index because of the rules. @param sentAt by performance.now() */
  explains(hold: ObservedHold | undefined, observation: Observation, sentAt: number): boolean {
    const { key, state } = observation;
    if (sentAt < this.#startedAt || state === "free" || state === "unreadable") return false;
    if (this.before.findFormat(key) === this.after.findFormat(key)) return false;
    if (state === "not_a_lock") return hold !== undefined;
    return hold?.seen.format !== observation.format;
  }
}
