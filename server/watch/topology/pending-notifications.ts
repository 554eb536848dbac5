import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-derivation.ts";
import { countMissingHolders, HolderExits } from "../holds/holder-exits.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { EndNotifications } from "./end-notifications.ts";

/** Events after which the key may be gone, even if it is there again when we look. */
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

/** What was heard of a key between two looks. */
export interface ConsumedNotifications {
  /** It was said to be gone before the look was sent. */
  readonly wasGone: boolean;
  /** It was said to be gone, before or after what the look shows. */
  readonly mayBeGone: boolean;
  /** More were said to have left it than are missing, or its hold may have ended and another begun. */
  readonly hasAmbiguousExit: boolean;
  /** An operator gave its holder more time. */
  readonly isExtended: boolean;
  /** How a hold ended that is gone. */
  readonly endCause: EndCause;
}

/** A look: when it was sent, and whether the key's slot was on its way to another master of late. */
interface ReadingInfo {
  readonly sentAt: number;
  readonly isMoving: boolean;
}

/** Keeps what Redis said of keys until a look takes it in. Moments are of performance.now(). */
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

  /** What a script of ours said. Our own renewals say nobody's name. */
  recordScriptEvent({ type, key, by }: ScriptEvent): void {
    if (type === "renewed" && by !== undefined) this.#extendedAt.set(key, performance.now());
  }

  /**
   * Nothing was heard of these for a while.
   *
   * @param isKnown What was heard of other keys is dropped. No read may ever follow it: any client can forge
   *   notifications of keys that do not exist, and when too many keys wait to be read, all of them are given up.
   */
  recordBlindPeriod(keys: Iterable<Key>, isKnown: (key: Key) => boolean): void {
    for (const heard of [this.#endCauses, this.#extendedAt])
      for (const key of heard.keys()) if (!isKnown(key)) heard.delete(key);
    this.#ends.forgetUnknown(isKnown);
    this.#holderExits.forgetUnknown(isKnown);
    for (const key of keys) this.#setEndCause(key, "blind");
  }

  findEndCause(key: Key): EndCause {
    return this.#endCauses.get(key)?.endCause;
  }

  // Both come over one connection, in order: a cause from before a hold began does not belong to that hold.
  clearEndCause(key: Key): void {
    this.#endCauses.delete(key);
  }

  /** What a look takes in. What was heard after it was sent stays for the next one as well. */
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
    // A key that moves is deleted at one master and restored at the other: that may have been all, or not.
    const isDoubtful = isShort || end === "possible" || (end === "certain" && isMoving);
    return {
      wasGone: end === "certain" && !isMoving,
      mayBeGone: end !== "none",
      hasAmbiguousExit: isDoubtful,
      isExtended: extendedAt !== undefined,
      endCause: recorded?.endCause,
    };
  }

  #setEndCause(key: Key, endCause: Exclude<EndCause, undefined>): void {
    this.#endCauses.set(key, { endCause, at: performance.now() });
  }
}
