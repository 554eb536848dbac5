import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";

/**
 * Maximum rate of events that are reported without confirmation by a read, in events per second. These are events of
 * holds that ended before their key was read.
 */
export const UNCONFIRMED_EVENTS_PER_S = 10_000;
/** Maximum burst of such events. */
export const UNCONFIRMED_EVENTS_BURST = 20_000;

interface UnconfirmedEvents {
  readonly fence: string | null;
  readonly seq: number;
  readonly count: number;
  /** Time (`performance.now()`) of the last event. */
  readonly at: number;
}

/**
 * Limits script events that are reported although no read of Redis has confirmed them.
 *
 * Any client that may `PUBLISH` to the channel can forge events, so a message alone proves nothing. Each event takes
 * a token. A later read that shows the event's hold returns the tokens of that hold. If no token is left, the event
 * is ignored: its key is read, and the change is reported as `inferred`.
 */
export class UnconfirmedEventBudget {
  #tokens = UNCONFIRMED_EVENTS_BURST;
  #filledAt = Number.NEGATIVE_INFINITY;
  /**
   * Keys with events that no read has followed yet. Their events have taken tokens, and a read of each key is enqueued.
   */
  readonly #unconfirmed = new Map<Key, UnconfirmedEvents>();

  /**
   * Takes a token for a script event.
   *
   * @param now `performance.now()`
   * @returns false if the event must be ignored
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
   * Refunds the tokens of a key's events if a read shows their hold.
   *
   * @param seen `undefined` if the key is not held
   * @param sentAt when the read was sent, `performance.now()`
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
