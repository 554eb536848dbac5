import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import { isSameHolder } from "./holder-identity.ts";
import type { ObservedHold } from "./observed-hold.ts";

/** How a field of a hash or a member of a set goes away. */
const EXIT_EVENTS = /^(?:hdel|hexpired|srem|spop|zrem|zpop)/;
/** A holder that is found missing is told of by Redis within this time, or never. */
const NOTIFIED_WITHIN_MS = 1000;

/**
 * Counts who left shared locks. Where more have left than are missing, one of those that are there may have left and
 * come back under the same owner: then none of them is surely the hold that it was.
 */
export class HolderExits {
  readonly #exits = new Map<Key, { count: number; at: number }>();
  /** Missing already, and not yet told of. */
  readonly #missingAhead = new Map<Key, { count: number; until: number }>();

  recordEvent(key: Key, event: string): void {
    if (!EXIT_EVENTS.test(event)) return;
    const count = (this.#exits.get(key)?.count ?? 0) + 1;
    this.#exits.set(key, { count, at: performance.now() });
  }

  forgetUnknown(isKnown: (key: Key) => boolean): void {
    for (const heard of [this.#exits, this.#missingAhead])
      for (const key of heard.keys()) if (!isKnown(key)) heard.delete(key);
  }

  /** @param missing how many are missing at a look that was sent then */
  exceedsMissing(key: Key, missing: number, sentAt: number): boolean {
    const left = this.#exits.get(key);
    if (left === undefined && missing === 0) return false;
    const ahead = this.#missingAhead.get(key);
    const isRecent = ahead !== undefined && performance.now() < ahead.until;
    const balance = missing + (isRecent ? ahead.count : 0) - (left?.count ?? 0);
    this.#missingAhead.delete(key);
    // What was heard after the look was sent may be of the time after it: it counts for the next one as well.
    if (left !== undefined && sentAt > left.at) this.#exits.delete(key);
    if (balance > 0)
      this.#missingAhead.set(key, { count: balance, until: performance.now() + NOTIFIED_WITHIN_MS });
    return balance < 0;
  }
}

/** How many of those who shared a lock are no longer there. */
export function countMissingHolders(observation: Observation, before: ObservedHold | undefined): number {
  if (before === undefined || before.holders.length < 2) return 0;
  if (observation.state !== "held" && observation.state !== "ended") return 0;
  return before.holders.filter(
    ({ seen }) => !observation.holders.some((holder) => isSameHolder(seen, holder)),
  ).length;
}
