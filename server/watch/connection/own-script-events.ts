import type { Key } from "../../../lib/keys/key.ts";
import type { ScriptEvent } from "./script-event.ts";

/**
 * Maximum number of stored replies for each change. When the limit is reached, all stored replies for that change are
 * dropped.
 */
const REPLIES_MAX = 10_000;

/** A change that a verb made: `acquired` if a hold began, or `released` if the final release ended a hold. */
export type OwnChange = "acquired" | "released";

/**
 * Recognizes the script events of verbs that this process ran. Any client can forge an event, but no client can forge
 * the reply to a verb of this process.
 */
export class OwnScriptEvents {
  readonly #acquired = new Map<Key, string>();
  readonly #released = new Map<Key, string>();

  /** Records the reply to a verb. @param fence the fencing token of the hold */
  recordReply(change: OwnChange, key: Key, fence: string): void {
    const replies = this.#getReplies(change);
    if (replies.size >= REPLIES_MAX) replies.clear();
    replies.set(key, fence);
  }

  /**
   * Returns whether the event matches the reply to a verb of this process. Removes the reply, so a second event for the
   * same change does not match.
   */
  take({ type, key, fence, count }: ScriptEvent): boolean {
    if (type !== "acquired" && (type !== "released" || count > 0)) return false;
    const replies = this.#getReplies(type);
    if (fence === null || replies.get(key) !== fence) return false;
    replies.delete(key);
    return true;
  }

  #getReplies(change: OwnChange): Map<Key, string> {
    return change === "acquired" ? this.#acquired : this.#released;
  }
}
