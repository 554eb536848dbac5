import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import { isSameHolder } from "./holder-identity.ts";
import type { ObservedHold } from "./observed-hold.ts";

/** Matches the names of events that remove a hash field, set member or sorted set member. */
const EXIT_EVENTS = /^(?:hdel|hexpired|srem|spop|zrem|zpop)/;
/** Time, in ms, within which the notification of a missing holder is expected. */
const NOTIFIED_WITHIN_MS = 1000;

/**
 * Counts the exits of holders from each shared lock, as reported by notifications. If the notifications report more
 * exits than there are missing holders, a present holder may have left and returned with the same owner. It is unknown
 * which holder returned, so each present holder may have a new hold.
 */
export class HolderExits {
  readonly #exits = new Map<Key, { count: number; at: number }>();
  /** For each key, the number of holders that a read found missing before the notifications of their exits arrived. */
  readonly #missingAhead = new Map<Key, { count: number; until: number }>();

  recordEvent(key: Key, event: string): void {
    if (!EXIT_EVENTS.test(event)) return;
    const count = (this.#exits.get(key)?.count ?? 0) + 1;
    this.#exits.set(key, { count, at: performance.now() });
  }

  forgetUnknown(isKnown: (key: Key) => boolean): void {
    for (const byKey of [this.#exits, this.#missingAhead])
      for (const key of byKey.keys()) if (!isKnown(key)) byKey.delete(key);
  }

  /**
   * Returns whether notifications report more exits than there are missing holders. Removes the reported exits if
   * all of their notifications arrived before the read was sent.
   *
   * @param missing number of missing holders in a read that was sent at `sentAt` (`performance.now()`)
   */
  exceedsMissing(key: Key, missing: number, sentAt: number): boolean {
    const left = this.#exits.get(key);
    if (left === undefined && missing === 0) return false;
    const ahead = this.#missingAhead.get(key);
    const isRecent = ahead !== undefined && performance.now() < ahead.until;
    const balance = missing + (isRecent ? ahead.count : 0) - (left?.count ?? 0);
    this.#missingAhead.delete(key);
    // A notification after `sentAt` may be about a later change, so its exit also counts for the next read.
    if (left !== undefined && sentAt > left.at) this.#exits.delete(key);
    if (balance > 0)
      this.#missingAhead.set(key, { count: balance, until: performance.now() + NOTIFIED_WITHIN_MS });
    return balance < 0;
  }
}

/**
 * Returns how many holders of a shared lock have disappeared since the previous observation. Returns 0 if the lock had
 * only one holder or is no longer held.
 */
export function countMissingHolders(observation: Observation, before: ObservedHold | undefined): number {
  if (before === undefined || before.holders.length < 2) return 0;
  if (observation.state !== "held" && observation.state !== "ended") return 0;
  return before.holders.filter(
    ({ seen }) => !observation.holders.some((holder) => isSameHolder(seen, holder)),
  ).length;
}
