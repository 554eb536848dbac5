import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";

/** Maximum duration, in ms, of a foreign hold that the history may omit without recording a gap. */
export const UNSEEN_HOLD_MS_MAX = 200;
const BEAT_MS = 50;
/** Time, in ms, after which a missing notification of an end counts as lost. */
const END_NOTIFIED_WITHIN_MS = 5000;
/**
 * Maximum number of keys with notifications since their last read. At the limit, all stored notifications are dropped.
 * If one of the dropped holds may have lasted longer than `UNSEEN_HOLD_MS_MAX`, a gap is recorded.
 */
const KEYS_MAX = 100_000;

const START_EVENTS = new Set(["set", "hset", "hincrby", "sadd", "zadd", "incrby"]);
const END_EVENTS = new Set(["del", "expired", "evicted"]);

/** Notifications for a key since it was last read. Times are `performance.now()`. */
interface UnreadChanges {
  /** Earliest possible start of a hold whose end has not been notified; `undefined` if there is no such hold. */
  openFrom: number | undefined;
  /** Whether a notification has reported the end of the hold in the index. */
  hasEnded: boolean;
  readonly ended: { readonly from: number; readonly to: number }[];
}

/**
 * Finds foreign holds that ended before their key was read. Notifications prove that such a hold existed but do not
 * name its owner.
 *
 * A process that was suspended receives all notifications of a long hold at the same time. The hold may have started at
 * any time during the suspension, so its earliest start is the last timer tick before the suspension.
 */
export class UnseenHolds {
  /** Number of holds found since the process started. */
  count = 0;
  readonly #unread = new Map<Key, UnreadChanges>();
  readonly #beats: NodeJS.Timeout;
  #beatAt = performance.now();
  /**
   * The last suspension of this process. A notification that arrives before `until` may have been sent as early as
   * `from`.
   */
  #backlog = { from: 0, until: Number.NEGATIVE_INFINITY };

  /**
   * @param onLongHold called with the earliest start (`performance.now()`) of a hold that may have lasted longer than
   *   `UNSEEN_HOLD_MS_MAX`
   * @param keysMax the maximum number of keys with notifications since their last read
   */
  constructor(
    private readonly onLongHold: (from: number) => void,
    private readonly keysMax = KEYS_MAX,
  ) {
    this.#beats = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  stop(): void {
    clearInterval(this.#beats);
  }

  /**
   * Records a notification whose event can start or end a hold. Ignores any other notification.
   *
   * @param isHeld whether the index contains a hold for the key
   */
  recordNotification(key: Key, event: string, isHeld: boolean): void {
    if (START_EVENTS.has(event)) this.#recordStart(key, isHeld);
    else if (END_EVENTS.has(event)) this.#recordEnd(key, isHeld);
  }

  /**
   * Records that a script event has reported the last hold of the key, so that this hold does not count as unseen.
   */
  recordScriptEvent(key: Key): void {
    const changes = this.#unread.get(key);
    if (changes !== undefined) changes.openFrom = undefined;
  }

  /**
   * Counts the holds that ended before the read was sent. If any of them may have lasted longer than
   * `UNSEEN_HOLD_MS_MAX`, calls `onLongHold` once, with the earliest possible start of these holds.
   *
   * @param sentAt when the read was sent (`performance.now()`)
   */
  checkReading({ key, state }: Observation, sentAt: number): void {
    const changes = this.#unread.get(key);
    if (changes === undefined) return;
    const isHeld = state === "held" || state === "ended";
    const unseen = changes.ended.filter(({ to }) => to < sentAt);
    // If the key is held, the read may show a hold that ended after the read was sent, so such holds do not count as
    // unseen.
    const undecided = isHeld ? [] : changes.ended.filter(({ to }) => to >= sentAt);
    const isOutdated = changes.openFrom !== undefined && changes.openFrom < sentAt - END_NOTIFIED_WITHIN_MS;
    if (state !== "free" || isOutdated) changes.openFrom = undefined;
    changes.ended.splice(0, changes.ended.length, ...undecided);
    changes.hasEnded = false;
    if (changes.openFrom === undefined && undecided.length === 0) this.#unread.delete(key);
    this.count += unseen.length;
    const long = unseen.filter(({ from, to }) => to - from > UNSEEN_HOLD_MS_MAX);
    if (long.length > 0) this.onLongHold(Math.min(...long.map(({ from }) => from)));
  }

  #recordStart(key: Key, isHeld: boolean): void {
    const changes = this.#findChanges(key);
    if (changes.openFrom === undefined && (!isHeld || changes.hasEnded))
      changes.openFrom = this.#getEarliestSentAt();
  }

  #recordEnd(key: Key, isHeld: boolean): void {
    const changes = this.#findChanges(key);
    changes.hasEnded = isHeld;
    if (changes.openFrom === undefined) return;
    changes.ended.push({ from: changes.openFrom, to: performance.now() });
    changes.openFrom = undefined;
  }

  #findChanges(key: Key): UnreadChanges {
    const known = this.#unread.get(key);
    if (known !== undefined) return known;
    if (this.#unread.size >= this.keysMax) this.#dropAll();
    const changes: UnreadChanges = { openFrom: undefined, hasEnded: false, ended: [] };
    this.#unread.set(key, changes);
    return changes;
  }

  #dropAll(): void {
    let from = Number.POSITIVE_INFINITY;
    for (const { openFrom, ended } of this.#unread.values())
      from = Math.min(from, openFrom ?? from, ended[0]?.from ?? from);
    this.#unread.clear();
    if (performance.now() - from > UNSEEN_HOLD_MS_MAX) this.onLongHold(from);
  }

  #beat(): void {
    const now = performance.now();
    const lateMs = now - this.#beatAt - BEAT_MS;
    if (lateMs > BEAT_MS) this.#backlog = { from: this.#beatAt, until: now + lateMs };
    this.#beatAt = now;
  }

  /** Returns the earliest time at which a notification that arrives now may have been sent. */
  #getEarliestSentAt(): number {
    const now = performance.now();
    if (now <= this.#backlog.until) return this.#backlog.from;
    return now - this.#beatAt > 2 * BEAT_MS ? this.#beatAt : now;
  }
}
