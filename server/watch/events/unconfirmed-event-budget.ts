import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";

/**
 * Maximum sustained rate, in events per second, of reported events that no read has confirmed. A hold that ends before
 * its key is read causes such events.
 */
export const UNCONFIRMED_EVENTS_PER_S = 10_000;
/** Maximum number of unconfirmed events in a burst. */
export const UNCONFIRMED_EVENTS_BURST = 20_000;

interface UnconfirmedEvents {
  readonly fence: string | null;
  readonly seq: number;
  readonly count: number;
  /** Time (`performance.now()`) of the last event. */
  readonly at: number;
}

/**
 * Limits the script events that are reported although no read of Redis has confirmed them.
 *
 * Any client with permission to `PUBLISH` to the channel can forge events, so a message alone proves nothing. Each
 * reported event takes a token. If a later read shows the Lockkeeper hold to which the events belong, their tokens are
 * returned to the budget. If no token is left, Lockkeeper ignores the event, reads the key, and reports the change as
 * `inferred`.
 */
export class UnconfirmedEventBudget {
  #tokens = UNCONFIRMED_EVENTS_BURST;
  #filledAt = Number.NEGATIVE_INFINITY;
  /**
   * For each key, the events that took a token and that no read has confirmed. A read of each of these keys is queued.
   */
  readonly #unconfirmed = new Map<Key, UnconfirmedEvents>();

  /**
   * Takes a token for a script event.
   *
   * @param now `performance.now()`
   * @returns false if no token is left and the event must be ignored
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
   * Refunds the tokens of a key's unconfirmed events if a read that was sent after these events shows the Lockkeeper
   * hold to which they belong. Has no effect if the read was sent earlier.
   *
   * @param seen the observation of the key; `undefined` if the key is not held
   * @param sentAt when the read was sent (`performance.now()`)
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
