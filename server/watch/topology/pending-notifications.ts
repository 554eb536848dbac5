import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-inference.ts";
import { countMissingHolders, HolderExits } from "../holds/holder-exits.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { EndNotifications } from "./end-notifications.ts";

/** Events that show that the key may have been removed, even if a later read finds the key. */
const END_NOTIFICATIONS = new Set([
  "del",
  "expired",
  "evicted",
  "rename_from",
  "rename_to",
  "move_from",
  "move_to",
  "restore",
  "copy_to",
]);

/** What the notifications for a key show about the time between two reads. */
export interface ConsumedNotifications {
  /** Whether a notification proves that the key was removed before the read was sent. */
  readonly wasGone: boolean;
  /** Whether a notification reported that the key was removed, before or after the observed state. */
  readonly mayBeGone: boolean;
  /**
   * Whether the observed hold may be a new hold that looks like the previous one. True if the notifications reported
   * more exits than there are missing holders, or if the hold may have ended and begun again.
   */
  readonly hasAmbiguousExit: boolean;
  /** When the report of an operator's extension arrived (`performance.now()`). `undefined` if there is none. */
  readonly extendedAt: number | undefined;
  /** Why the previous hold may have ended. `undefined` if there is no evidence. */
  readonly endCause: EndCause;
}

/** The time at which a read was sent, and whether the key's slot was migrating recently. */
interface ReadingInfo {
  readonly sentAt: number;
  readonly isMoving: boolean;
}

/** Stores the notifications for each key until a read consumes them. Times are `performance.now()`. */
export class PendingNotifications {
  readonly #endCauses = new Map<Key, { endCause: Exclude<EndCause, undefined>; at: number }>();
  readonly #ends = new EndNotifications();
  readonly #extendedAt = new Map<Key, number>();
  readonly #holderExits = new HolderExits();

  recordKeyChange(key: Key, event: string): void {
    this.#holderExits.recordEvent(key, event);
    if (!END_NOTIFICATIONS.has(event)) return;
    this.#ends.record(key);
    if (event === "expired" || event === "evicted") this.#setEndCause(key, event);
  }

  /**
   * Records a script event if it reports that an operator extended the lease. Unlike the event for a renewal by the
   * holder, such an event names the operator in `by`.
   */
  recordScriptEvent({ type, key, by }: ScriptEvent): void {
    if (type === "renewed" && by !== undefined) this.#extendedAt.set(key, performance.now());
  }

  /**
   * Records a blind period, in which notifications for these keys may have been lost.
   *
   * @param isKnown returns whether a key is known. The notifications for all other keys are dropped, because it is
   *   possible that no read ever consumes them: any client can forge notifications for keys that do not exist.
   */
  recordBlindPeriod(keys: Iterable<Key>, isKnown: (key: Key) => boolean): void {
    for (const pending of [this.#endCauses, this.#extendedAt])
      for (const key of pending.keys()) if (!isKnown(key)) pending.delete(key);
    this.#ends.forgetUnknown(isKnown);
    this.#holderExits.forgetUnknown(isKnown);
    for (const key of keys) this.#setEndCause(key, "blind");
  }

  findEndCause(key: Key): EndCause {
    return this.#endCauses.get(key)?.endCause;
  }

  // Forgets how the previous hold of the key ended. Notifications and script events arrive in order on one connection,
  // so a cause that arrived before the start of a hold does not apply to that hold.
  clearEndCause(key: Key): void {
    this.#endCauses.delete(key);
  }

  /**
   * Returns what the stored notifications show about the observation of a read. Removes the notifications that arrived
   * before the read was sent. Later notifications also apply to the next read.
   */
  consume(
    observation: Observation,
    before: ObservedHold | undefined,
    { sentAt, isMoving }: ReadingInfo,
  ): ConsumedNotifications {
    const { key } = observation;
    const end = this.#ends.consume(observation, before, sentAt);
    const recorded = this.#endCauses.get(key);
    const extendedAt = this.#extendedAt.get(key);
    if (extendedAt !== undefined && sentAt > extendedAt) this.#extendedAt.delete(key);
    if (recorded !== undefined && sentAt > recorded.at) this.#endCauses.delete(key);
    const isShort = this.#holderExits.exceedsMissing(key, countMissingHolders(observation, before), sentAt);
    // Migration deletes a key on one master and restores the key on another. A deletion therefore does not prove that
    // the hold ended, but the lock may also have changed during the migration.
    const isAmbiguous = isShort || end === "possible" || (end === "certain" && isMoving);
    return {
      wasGone: end === "certain" && !isMoving,
      mayBeGone: end !== "none",
      hasAmbiguousExit: isAmbiguous,
      extendedAt,
      endCause: recorded?.endCause,
    };
  }

  #setEndCause(key: Key, endCause: Exclude<EndCause, undefined>): void {
    this.#endCauses.set(key, { endCause, at: performance.now() });
  }
}
