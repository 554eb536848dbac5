import type { HistoryEntry } from "../../../lib/contract/event.ts";
import type { LiveView } from "../../../lib/contract/live.ts";
import { type Key, keyOfFields } from "../../../lib/keys/key.ts";
import type { Journal } from "../../history/journal.ts";
import type { Hold } from "../../watch/holds/observed-hold.ts";
import { orderOf } from "../../watch/index/query-cache.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { sseBytes } from "../http/sse.ts";
import { nameOf, type RowTexts } from "./row-json-cache.ts";
import { changeOf, countsOf, type Window } from "./window-diff.ts";

/** More than a person reads in a tenth of a second; who wants each of them asks the history. */
const EVENTS_MAX = 40;

export interface Happened {
  readonly events: readonly HistoryEntry[];
  /** How many more there were, which nobody keeps here. */
  readonly dropped: number;
}

/** How a target looks at one moment. Tabs that look at the same get the same bytes, which are made once. */
export class Frame {
  readonly now: number;
  readonly #windows = new Map<string, Window>();
  /** By the window that it is now, and the one that was told last. */
  readonly #changes = new Map<Window, Map<Window | undefined, Uint8Array | undefined>>();
  #allEvents: Uint8Array | undefined;
  #eventsOf: Map<Key, HistoryEntry[]> | undefined;

  constructor(
    private readonly watcher: Watcher,
    private readonly texts: RowTexts,
    private readonly happened: Happened,
    private readonly journal: Pick<Journal, "lastEnding">,
  ) {
    this.now = watcher.clock.now();
  }

  get hasEvents(): boolean {
    return this.happened.events.length + this.happened.dropped > 0;
  }

  get eventCount(): number {
    return this.happened.events.length + this.happened.dropped;
  }

  windowOf({ filter, sort, offset, limit }: LiveView): Window {
    const question = `${offset} ${limit} ${sort} ${filter}`;
    const known = this.#windows.get(question);
    if (known !== undefined) return known;
    const { mirror } = this.watcher;
    const { holds, total } = mirror.page(filter, orderOf(sort), { offset }, limit);
    const rows = holds.map((hold) => this.texts.of(hold));
    const window = { filter, sort, offset, total, held: mirror.size, rows };
    this.#windows.set(question, window);
    return window;
  }

  /** The message that makes one window of another; undefined: they look the same, but for what is counted. */
  changeOf(before: Window | undefined, after: Window): Uint8Array | undefined {
    const changes = this.#changes.get(after) ?? new Map<Window | undefined, Uint8Array | undefined>();
    this.#changes.set(after, changes);
    if (changes.has(before)) return changes.get(before);
    const change = changeOf(before, after, this.now);
    const message = change && sseBytes(change.name, change.text);
    changes.set(before, message);
    return message;
  }

  /** The message that tells the counts alone. */
  countsOf(window: Window): string {
    return countsOf(window, this.now);
  }

  /** JSON of a lock, and whether it is held: that a free key is still free is no news. */
  lockOf(key: Key, hold: Hold | undefined): { text: string; state: string } {
    if (hold !== undefined) {
      const text = this.texts.of(hold);
      return { text, state: text };
    }
    const waiters = this.watcher.mirror.waitersOf(key);
    const lock = this.watcher.freeLock(key, this.now, waiters);
    const votes = lock.votes === undefined ? "" : JSON.stringify(lock.votes);
    return {
      text: JSON.stringify(lock),
      state: `free ${waiters?.count ?? 0} ${votes} ${key} ${nameOf(lock.note)}`,
    };
  }

  /** A held one by its text, a free one by how it ended: what tells whether there is news of it. */
  keptStateOf(key: Key): { state: string; hold: Hold | undefined } {
    const hold = this.watcher.mirror.get(key);
    if (hold !== undefined) return { state: this.texts.of(hold), hold };
    return { state: `free ${this.journal.lastEnding(key)?.at ?? ""}`, hold };
  }

  /** JSON of a `kept` message's item. */
  keptText(key: Key, hold: Hold | undefined): string {
    const { text } = this.lockOf(key, hold);
    const ended = hold === undefined ? this.journal.lastEnding(key) : undefined;
    return ended === undefined ? `{"lock":${text}}` : `{"lock":${text},"ended":${JSON.stringify(ended)}}`;
  }

  /** The message of the newest events of all locks. */
  allEvents(): Uint8Array {
    this.#allEvents ??= sseBytes("events", eventsText(this.happened.events, this.happened.dropped));
    return this.#allEvents;
  }

  /** JSON of the events of one lock; undefined when there are none. */
  eventsOf(key: Key): string | undefined {
    this.#eventsOf ??= grouped(this.happened.events);
    const events = this.#eventsOf.get(key) ?? [];
    const { dropped } = this.happened;
    return events.length + dropped === 0 ? undefined : eventsText(events, dropped);
  }
}

export function eventsText(events: readonly HistoryEntry[], dropped: number): string {
  const items = events.slice(-EVENTS_MAX);
  return JSON.stringify({ items, skipped: dropped + events.length - items.length });
}

function grouped(events: readonly HistoryEntry[]): Map<Key, HistoryEntry[]> {
  const groups = new Map<Key, HistoryEntry[]>();
  for (const event of events) {
    if (event.type === "gap") continue;
    const key = keyOfFields(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return groups;
}
