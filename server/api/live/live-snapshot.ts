import type { HistoryEntry } from "../../../lib/contract/event.ts";
import type { Health, LiveView } from "../../../lib/contract/live.ts";
import { type Key, parseKeyFields } from "../../../lib/keys/key.ts";
import type { Journal } from "../../history/journal.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import { parseSortOrder } from "../../watch/index/query-context.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { encodeSseEvent } from "../http/sse.ts";
import { type RowJsonCache, toNoteFingerprint } from "./row-json-cache.ts";
import { diffWindows, formatCounts, type RowWindow } from "./window-diff.ts";

/**
 * Maximum number of events per message, more than a person can read in 100 ms. Older events are only counted, and can
 * be read from the history.
 */
const EVENTS_MAX = 40;

export interface NewEvents {
  readonly events: readonly HistoryEntry[];
  /** Number of older events that were dropped from `events`. */
  readonly dropped: number;
}

/**
 * The state of a target at a point in time, and the messages that send this state to tabs. Tabs with the same view
 * share encoded messages.
 */
export class LiveSnapshot {
  readonly now: number;
  readonly #windows = new Map<string, RowWindow>();
  /** Encoded messages, by the current window and then by the window that the tab was last sent. */
  readonly #changes = new Map<RowWindow, Map<RowWindow | undefined, Uint8Array | undefined>>();
  #allEventsMessage: Uint8Array | undefined;
  #health: Health | undefined;
  #eventsByKey: Map<Key, HistoryEntry[]> | undefined;

  constructor(
    private readonly watcher: Watcher,
    private readonly rowCache: RowJsonCache,
    private readonly newEvents: NewEvents,
    private readonly journal: Pick<Journal, "findLastEnd">,
  ) {
    this.now = watcher.clock.now();
  }

  get health(): Health {
    this.#health ??= this.watcher.health();
    return this.#health;
  }

  get hasEvents(): boolean {
    return this.newEvents.events.length + this.newEvents.dropped > 0;
  }

  get eventCount(): number {
    return this.newEvents.events.length + this.newEvents.dropped;
  }

  /**
   * Returns the rows and counts of a view, or `undefined` if the filter and sort order of the view have not been
   * evaluated.
   */
  getWindow({ filter, sort, offset, limit }: LiveView): RowWindow | undefined {
    const question = `${offset} ${limit} ${sort} ${filter}`;
    const known = this.#windows.get(question);
    if (known !== undefined) return known;
    const { index } = this.watcher;
    const order = parseSortOrder(sort);
    if (!index.isQueryReady(filter, order)) return undefined;
    const { holds, total } = index.queryPage(filter, order, { offset }, limit);
    const rows = holds.map((hold) => this.rowCache.getJson(hold));
    const window = { filter, sort, offset, total, held: index.listedCount, rows };
    this.#windows.set(question, window);
    return window;
  }

  /**
   * Returns the encoded message that changes one window into another, or `undefined` if the windows differ at most in
   * counts.
   */
  getWindowChange(before: RowWindow | undefined, after: RowWindow): Uint8Array | undefined {
    const changes = this.#changes.get(after) ?? new Map<RowWindow | undefined, Uint8Array | undefined>();
    this.#changes.set(after, changes);
    if (changes.has(before)) return changes.get(before);
    const change = diffWindows(before, after, this.now);
    const message = change && encodeSseEvent(change.name, change.text);
    changes.set(before, message);
    return message;
  }

  /** Formats a `rows` message that changes only the counts. */
  formatCounts(window: RowWindow): string {
    return formatCounts(window, this.now);
  }

  /** Formats a lock as JSON (`text`). The returned `state` string changes only if the lock must be sent again. */
  formatLock(key: Key, hold: ObservedHold | undefined): { text: string; state: string } {
    if (hold !== undefined) {
      const text = this.rowCache.getJson(hold);
      return { text, state: text };
    }
    const waiters = this.watcher.index.findWaiters(key);
    const lock = this.watcher.locks.toFreeLock(key, this.now, waiters);
    const votes = lock.votes === undefined ? "" : JSON.stringify(lock.votes);
    return {
      text: JSON.stringify(lock),
      state: `free ${waiters?.count ?? 0} ${votes} ${key} ${lock.unreadable ?? ""} ${toNoteFingerprint(lock.note)}`,
    };
  }

  /**
   * Returns a `state` string that changes when a pinned row must be sent again, and the hold if the lock is held. For a
   * held lock, `state` is the JSON of the row. Otherwise, `state` contains the time at which the last hold ended and
   * the reason why the key is unreadable, if they are known.
   */
  getPinnedState(key: Key): { state: string; hold: ObservedHold | undefined } {
    const hold = this.watcher.index.get(key);
    if (hold !== undefined) return { state: this.rowCache.getJson(hold), hold };
    const unreadable = this.watcher.locks.findUnreadable(key) ?? "";
    return { state: `free ${this.journal.findLastEnd(key)?.at ?? ""} ${unreadable}`, hold };
  }

  /** Formats an item of a `kept` message as JSON. */
  formatPinnedItem(key: Key, hold: ObservedHold | undefined): string {
    const { text } = this.formatLock(key, hold);
    const ended = hold === undefined ? this.journal.findLastEnd(key) : undefined;
    return ended === undefined ? `{"lock":${text}}` : `{"lock":${text},"ended":${JSON.stringify(ended)}}`;
  }

  /** Returns the encoded message with the new events of all locks. */
  getAllEvents(): Uint8Array {
    this.#allEventsMessage ??= encodeSseEvent(
      "events",
      formatEvents(this.newEvents.events, this.newEvents.dropped),
    );
    return this.#allEventsMessage;
  }

  /**
   * Returns the new events of one lock as JSON, or `undefined` if there are none and no events were dropped. A dropped
   * event may have belonged to this lock.
   */
  getEventsFor(key: Key): string | undefined {
    this.#eventsByKey ??= groupByKey(this.newEvents.events);
    const events = this.#eventsByKey.get(key) ?? [];
    const { dropped } = this.newEvents;
    return events.length + dropped === 0 ? undefined : formatEvents(events, dropped);
  }
}

export function formatEvents(events: readonly HistoryEntry[], dropped: number): string {
  const items = events.slice(-EVENTS_MAX);
  return JSON.stringify({ items, skipped: dropped + events.length - items.length });
}

function groupByKey(events: readonly HistoryEntry[]): Map<Key, HistoryEntry[]> {
  const groups = new Map<Key, HistoryEntry[]>();
  for (const event of events) {
    if (event.type === "gap") continue;
    const key = parseKeyFields(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return groups;
}
