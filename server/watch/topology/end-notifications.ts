import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, Observation } from "../../formats/observation.ts";
import { isSameHolder } from "../holds/holder-identity.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

/**
 * Maximum time, in ms, by which a notification and a reply can overtake each other, because they arrive on two
 * connections. If the read takes longer, the duration of the read is the maximum.
 */
const OVERTAKING_MS = 5;

/** Arrival times (`performance.now()`) of the first and the last notification for a key. */
interface Arrivals {
  readonly first: number;
  readonly last: number;
}

/** Evidence from notifications that a key was removed before a read. */
export type KeyEnd =
  /** No notification reported the key as removed. */
  | "none"
  /** The key was removed before the read was sent, so a hold that looks unchanged is a new hold. */
  | "certain"
  /** A notification arrived after the read was sent. The next read decides. */
  | "undecided"
  /**
   * A notification arrived at about the time of the read that first showed the hold. The notification may belong to the
   * previous hold.
   */
  | "possible";

/**
 * Stores notifications that report the removal of a key. A read consumes the stored notifications for its key that
 * arrived before the read was sent.
 *
 * The order of a notification and an overlapping read is unknown. The read may show the hold whose end the notification
 * reports, or the next hold. If Lockkeeper mistook an ended hold for a new one, it would report a hold that never
 * existed. Times are `performance.now()`.
 */
export class EndNotifications {
  readonly #certain = new Map<Key, Arrivals>();
  /** Arrival times of notifications that may belong to an earlier hold. */
  readonly #possible = new Map<Key, number>();
  /**
   * For each key whose hold a recent read has shown for the first time, the time until which a notification may belong
   * to an earlier hold. Oldest first.
   */
  readonly #newUntil = new Map<Key, number>();

  record(key: Key): void {
    const now = performance.now();
    if (now <= (this.#newUntil.get(key) ?? Number.NEGATIVE_INFINITY)) this.#possible.set(key, now);
    else this.#certain.set(key, { first: this.#certain.get(key)?.first ?? now, last: now });
  }

  forgetUnknown(isKnown: (key: Key) => boolean): void {
    for (const pending of [this.#certain, this.#possible, this.#newUntil])
      for (const key of pending.keys()) if (!isKnown(key)) pending.delete(key);
  }

  /**
   * Returns what the stored notifications prove about the key at the time of a read. Removes the notifications that
   * arrived before the read was sent.
   *
   * @param before the hold after the previous read, if any
   * @param sentAt when the read was sent
   */
  consume(observation: Observation, before: ObservedHold | undefined, sentAt: number): KeyEnd {
    const { key } = observation;
    const arrivals = this.#certain.get(key);
    const possibleAt = this.#possible.get(key);
    const wasGone = arrivals !== undefined && arrivals.first < sentAt;
    if (arrivals !== undefined && arrivals.last < sentAt) this.#certain.delete(key);
    else if (arrivals !== undefined) this.#certain.set(key, { first: arrivals.last, last: arrivals.last });
    if (possibleAt !== undefined && possibleAt < sentAt) this.#possible.delete(key);
    if (observation.state === "held" && (wasGone || !continues(observation.holders, before)))
      this.#startHold(key, sentAt);
    if (wasGone) return "certain";
    if (possibleAt !== undefined && possibleAt < sentAt) return "possible";
    return arrivals !== undefined || possibleAt !== undefined ? "undecided" : "none";
  }

  #startHold(key: Key, sentAt: number): void {
    const now = performance.now();
    const late = this.#certain.get(key);
    if (late !== undefined) {
      this.#certain.delete(key);
      this.#possible.set(key, late.last);
    }
    this.#newUntil.delete(key);
    this.#newUntil.set(key, now + Math.max(OVERTAKING_MS, now - sentAt));
    for (const [other, until] of this.#newUntil) {
      if (until >= now) break;
      this.#newUntil.delete(other);
    }
  }
}

function continues(holders: HeldObservation["holders"], before: ObservedHold | undefined): boolean {
  return before?.holders.some(({ seen }) => holders.some((holder) => isSameHolder(seen, holder))) ?? false;
}
