import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-derivation.ts";
import { countMissingHolders, HolderExits } from "../holds/holder-exits.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

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
  /** It was said to be gone. */
  readonly wasGone: boolean;
  /** More were said to have left it than are missing. */
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
  readonly #goneAt = new Map<Key, number>();
  readonly #extendedAt = new Map<Key, number>();
  readonly #holderExits = new HolderExits();

  recordKeyChange(key: Key, event: string): void {
    this.#holderExits.recordEvent(key, event);
    if (!END_NOTIFICATIONS.has(event)) return;
    this.#goneAt.set(key, performance.now());
    if (event === "expired" || event === "evicted") this.#setEndCause(key, event);
  }

  /** What a script of ours said. Our own renewals say nobody's name. */
  recordScriptEvent({ type, key, by }: ScriptEvent): void {
    if (type === "renewed" && by !== undefined) this.#extendedAt.set(key, performance.now());
  }

  /** Nothing was heard of these for a while. */
  recordBlindPeriod(keys: Iterable<Key>): void {
    for (const key of keys) this.#setEndCause(key, "blind");
  }

  findEndCause(key: Key): EndCause {
    return this.#endCauses.get(key)?.endCause;
  }

  // Both come over one connection, in order: a cause from before a hold began does not belong to that hold.
  clearEndCause(key: Key): void {
    this.#endCauses.delete(key);
  }

  /**
   * What a look takes in. A look that was sent before the word of an ending may still show the hold before it: the word
   * stays for the next one as well.
   */
  consume(
    observation: Observation,
    before: ObservedHold | undefined,
    { sentAt, isMoving }: ReadingInfo,
  ): ConsumedNotifications {
    const { key } = observation;
    const goneAt = this.#goneAt.get(key);
    const recorded = this.#endCauses.get(key);
    const extendedAt = this.#extendedAt.get(key);
    if (extendedAt !== undefined && sentAt > extendedAt) this.#extendedAt.delete(key);
    if (goneAt !== undefined && sentAt > goneAt) this.#goneAt.delete(key);
    if (recorded !== undefined && sentAt > recorded.at) this.#endCauses.delete(key);
    const isShort = this.#holderExits.exceedsMissing(key, countMissingHolders(observation, before), sentAt);
    // A key that moves is deleted at one master and restored at the other: that may have been all, or not.
    const wasGone = goneAt !== undefined && !isMoving;
    const isDoubtful = isShort || (goneAt !== undefined && isMoving);
    return {
      wasGone,
      hasAmbiguousExit: isDoubtful,
      isExtended: extendedAt !== undefined,
      endCause: recorded?.endCause,
    };
  }

  #setEndCause(key: Key, endCause: Exclude<EndCause, undefined>): void {
    this.#endCauses.set(key, { endCause, at: performance.now() });
  }
}
