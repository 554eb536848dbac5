import type { EventType, HistoryEntry } from "../../../lib/contract/event.ts";
import { isLiveOnly } from "../../../lib/contract/event.ts";
import { formatKey, type Key, parseKeyFields } from "../../../lib/keys/key.ts";
import { getHolderSince, type ObservedHold } from "../../watch/holds/observed-hold.ts";

/**
 * Maximum delivery time of an event from Redis to its readers, in ms. If delivery takes longer because recording is
 * down, the event is sent although the snapshot contains its hold.
 */
const DELIVERY_LAG_MAX_MS = 10_000;
const START_TYPES: ReadonlySet<EventType> = new Set(["acquired", "seen", "recreated"]);
/**
 * Maximum number of holds to remember. Start events of holds beyond this limit are sent although the snapshot contains
 * the holds.
 */
const HOLDS_MAX = 10_000;

interface SentHold {
  /** For each holder, the fencing token, or the owner if there is no fencing token. */
  readonly names: readonly string[];
  readonly asOf: number;
}

/**
 * The recent holds in a snapshot. Determines which events would report these holds to the reader again.
 *
 * An event is suppressed only if it reports the start of a hold in the snapshot and no other event for its key has been
 * sent. All other events are sent in order, so that the last event for a key always leaves the reader with the final
 * state of the lock.
 */
export class SnapshotCoverage {
  readonly #holds = new Map<Key, SentHold>();
  #asOf = 0;

  /** @param startedAt time at which the snapshot started, on the Redis clock, in Unix ms */
  constructor(private readonly startedAt: number) {}

  /**
   * Records that the snapshot contains a hold. Ignores older holds, whose start events are not sent again, and holds
   * beyond `HOLDS_MAX`.
   *
   * @param asOf time at which the hold was read from the index, on the Redis clock, in Unix ms
   */
  addHold(hold: ObservedHold, asOf: number): void {
    this.#asOf = asOf;
    const isRecent = hold.holders.some(
      (holder) => getHolderSince(holder).since >= this.startedAt - DELIVERY_LAG_MAX_MS,
    );
    // The start event of an older hold was published before the snapshot started.
    if (!isRecent || this.#holds.size >= HOLDS_MAX) return;
    const names = hold.seen.holders.map(({ fence, owner }) => fence ?? formatKey(owner));
    this.#holds.set(hold.key, { names, asOf });
  }

  /**
   * Returns whether the event reports the start of a hold that the snapshot contains, so that the event must not be
   * sent. Must be called once for each event, in order.
   */
  includes(entry: HistoryEntry): boolean {
    if (this.#holds.size === 0 || entry.type === "gap" || isLiveOnly(entry)) return false;
    if (entry.at > this.#asOf + DELIVERY_LAG_MAX_MS) {
      this.#holds.clear();
      return false;
    }
    const key = parseKeyFields(entry);
    const sent = this.#holds.get(key);
    if (sent === undefined) return false;
    const isStart = START_TYPES.has(entry.type) && entry.at <= sent.asOf;
    if (isStart && sent.names.includes(entry.fence ?? entry.owner ?? "")) return true;
    this.#holds.delete(key);
    return false;
  }
}
