import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";

/** Events a second that may be reported without any trace of them in Redis: holds that ended before they were read. */
export const UNCONFIRMED_EVENTS_PER_S = 10_000;
/** So many may come at once. */
export const UNCONFIRMED_EVENTS_BURST = 20_000;

interface UnconfirmedEvents {
  readonly fence: string | null;
  readonly seq: number;
  readonly count: number;
  /** When the last of them arrived; performance.now(). */
  readonly at: number;
}

/**
 * Limits the script events that are reported although no read of Redis has confirmed them.
 *
 * Any client that may `PUBLISH` on the channel can forge events, so a message alone proves nothing. Each event takes a
 * token. A later read that shows the event's hold gives the tokens of that hold back. Without a token, an event is
 * ignored: what its key holds is read and reported as `inferred`.
 */
export class UnconfirmedEventBudget {
  #tokens = UNCONFIRMED_EVENTS_BURST;
  #filledAt = Number.NEGATIVE_INFINITY;
  /** Keys with events that no read has followed yet. Each has taken a token, and each will be read. */
  readonly #unconfirmed = new Map<Key, UnconfirmedEvents>();

  /**
   * @param now performance.now()
   * @returns false: the event is to be ignored
   */
  take({ key, fence, seq }: Pick<ScriptEvent, "key" | "fence" | "seq">, now: number): boolean {
    const filled = ((now - this.#filledAt) * UNCONFIRMED_EVENTS_PER_S) / 1000;
    this.#tokens = Math.min(UNCONFIRMED_EVENTS_BURST, this.#tokens + filled);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    const before = this.#unconfirmed.get(key);
    const isSameHold = before !== undefined && before.fence === fence;
    this.#unconfirmed.set(key, { fence, seq, count: isSameHold ? before.count + 1 : 1, at: now });
    if (this.#unconfirmed.size > UNCONFIRMED_EVENTS_BURST) this.#unconfirmed.clear();
    return true;
  }

  /**
   * A read of the key is to be applied.
   *
   * @param seen undefined: the key is free
   * @param sentAt when it was sent; performance.now()
   */
  confirm(key: Key, seen: Pick<HeldObservation, "holders"> | undefined, sentAt: number): void {
    const events = this.#unconfirmed.get(key);
    if (events === undefined || sentAt < events.at) return;
    this.#unconfirmed.delete(key);
    const { fence, seq, count } = events;
    const isSeen = seen?.holders.some((holder) => holder.fence === fence && holder.seq >= seq) ?? false;
    if (fence !== null && isSeen) this.#tokens = Math.min(UNCONFIRMED_EVENTS_BURST, this.#tokens + count);
  }
}
