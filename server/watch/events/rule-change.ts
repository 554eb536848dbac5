import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

type Rules = Pick<FormatRules, "findFormat">;

/**
 * A change to the format rules. Distinguishes the effects of the new rules from changes in Redis: the first read of a
 * key with the new rules can change the format of its hold without any change in Redis.
 */
export class RuleChange {
  readonly #startedAt = performance.now();

  constructor(
    private readonly before: Rules,
    private readonly after: Rules,
  ) {}

  /**
   * Whether a reading differs from the indexed hold because of the new rules.
   *
   * @param sentAt when the read was sent (`performance.now()`)
   */
  explains(hold: ObservedHold | undefined, observation: Observation, sentAt: number): boolean {
    const { key, state } = observation;
    if (sentAt < this.#startedAt || state === "free" || state === "unreadable") return false;
    if (this.before.findFormat(key) === this.after.findFormat(key)) return false;
    if (state === "not_a_lock") return hold !== undefined;
    return hold?.seen.format !== observation.format;
  }
}
