import type { EventType, HistoryEntry } from "../../../lib/contract/event.ts";
import { isLiveOnly } from "../../../lib/contract/event.ts";
import { formatKey, type Key, parseKeyFields } from "../../../lib/keys/key.ts";
import { getHolderSince, type ObservedHold } from "../../watch/holds/observed-hold.ts";

/**
 * Maximum delivery time of an event from Redis to its readers. Delivery takes longer while recording is down; the
 * event is then sent as new.
 */
const DELIVERY_LAG_MAX_MS = 10_000;
const START_TYPES: ReadonlySet<EventType> = new Set(["acquired", "seen", "recreated"]);
/** Maximum number of holds to remember. The start of further holds can be sent twice. */
const HOLDS_MAX = 10_000;

interface SentHold {
  /** The fencing token of each holder, or its owner if it has none. */
  readonly names: readonly string[];
  readonly asOf: number;
}

/**
 * Finds events whose hold a snapshot already contains.
 *
 * Only the start of a hold is suppressed, and only as the first event of its key: every other event is sent, in order,
 * so the last event of a key always leaves the reader with the final state of the lock.
 */
export class SnapshotCoverage {
  readonly #holds = new Map<Key, SentHold>();
  #asOf = 0;

  /** @param startedAt start of the snapshot on the Redis clock, in Unix milliseconds */
  constructor(private readonly startedAt: number) {}

  /**
   * Records that the snapshot contains a hold.
   *
   * @param asOf time at which the hold was read from the index, on the Redis clock
   */
  addHold(hold: ObservedHold, asOf: number): void {
    this.#asOf = asOf;
    const isRecent = hold.holders.some(
      (holder) => getHolderSince(holder).since >= this.startedAt - DELIVERY_LAG_MAX_MS,
    );
    // The start of an older hold was published before the snapshot began.
    if (!isRecent || this.#holds.size >= HOLDS_MAX) return;
    const names = hold.seen.holders.map(({ fence, owner }) => fence ?? formatKey(owner));
    this.#holds.set(hold.key, { names, asOf });
  }

  /** Returns whether to suppress the event. Call it once for each event, in order. */
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
