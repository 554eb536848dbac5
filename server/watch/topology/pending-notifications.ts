import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { OwnEvent } from "../connection/script-event.ts";
import type { Hint } from "../events/event-derivation.ts";
import { Departures, missingFrom } from "../holds/holder-exits.ts";
import type { Hold } from "../holds/observed-hold.ts";

/** Events after which the key may be gone, even if it is there again when we look. */
const ENDINGS = new Set([
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
export interface HeardOf {
  /** It was said to be gone. */
  readonly wasGone: boolean;
  /** More were said to have left it than are missing. */
  readonly isDoubtful: boolean;
  /** An operator gave its holder more time. */
  readonly isExtended: boolean;
  /** How a hold ended that is gone. */
  readonly hint: Hint;
}

/** A look: when it was sent, and whether the key's slot was on its way to another master of late. */
interface Looked {
  readonly sentAt: number;
  readonly isMoving: boolean;
}

/** Keeps what Redis said of keys until a look takes it in. Moments are of performance.now(). */
export class Heard {
  readonly #hints = new Map<Key, { hint: Exclude<Hint, undefined>; at: number }>();
  readonly #goneAt = new Map<Key, number>();
  readonly #extendedAt = new Map<Key, number>();
  readonly #departures = new Departures();

  change(key: Key, event: string): void {
    this.#departures.heard(key, event);
    if (!ENDINGS.has(event)) return;
    this.#goneAt.set(key, performance.now());
    if (event === "expired" || event === "evicted") this.#hint(key, event);
  }

  /** What a script of ours said. Our own renewals say nobody's name. */
  word({ type, key, by }: OwnEvent): void {
    if (type === "renewed" && by !== undefined) this.#extendedAt.set(key, performance.now());
  }

  /** Nothing was heard of these for a while. */
  blind(keys: Iterable<Key>): void {
    for (const key of keys) this.#hint(key, "blind");
  }

  hintOf(key: Key): Hint {
    return this.#hints.get(key)?.hint;
  }

  // Both come over one connection, in order: a hint from before a hold began is not of that hold.
  begun(key: Key): void {
    this.#hints.delete(key);
  }

  /**
   * What a look takes in. A look that was sent before the word of an ending may still show the hold before it: the word
   * stays for the next one as well.
   */
  takenBy(observation: Observation, before: Hold | undefined, { sentAt, isMoving }: Looked): HeardOf {
    const { key } = observation;
    const goneAt = this.#goneAt.get(key);
    const hint = this.#hints.get(key);
    const extendedAt = this.#extendedAt.get(key);
    if (extendedAt !== undefined && sentAt > extendedAt) this.#extendedAt.delete(key);
    if (goneAt !== undefined && sentAt > goneAt) this.#goneAt.delete(key);
    if (hint !== undefined && sentAt > hint.at) this.#hints.delete(key);
    const isShort = this.#departures.exceed(key, missingFrom(observation, before), sentAt);
    // A key that moves is deleted at one master and restored at the other: that may have been all, or not.
    const wasGone = goneAt !== undefined && !isMoving;
    const isDoubtful = isShort || (goneAt !== undefined && isMoving);
    return { wasGone, isDoubtful, isExtended: extendedAt !== undefined, hint: hint?.hint };
  }

  #hint(key: Key, hint: Exclude<Hint, undefined>): void {
    this.#hints.set(key, { hint, at: performance.now() });
  }
}
