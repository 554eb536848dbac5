import { setTimeout as sleep } from "node:timers/promises";
import type { LiveMessage, LiveView } from "../../../lib/contract/live.ts";
import { type Key, parseKeyPath } from "../../../lib/keys/key.ts";
import type { Principal } from "../../auth/principal.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { parseSortOrder } from "../../watch/index/query-context.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { type CpuBudget, UNLIMITED_CPU } from "../http/cpu-budgets.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { formatSseText } from "../http/sse.ts";
import { formatEvents, type LiveSnapshot } from "./live-snapshot.ts";
import { PinnedRows } from "./pinned-rows.ts";
import type { RowWindow } from "./window-diff.ts";

/** A browser that has this much before it is told no more until it has read it: then the newest, not all between. */
const BEHIND_BYTES_MAX = 64 * 1024;
/** One that is behind for so long has gone, or wants a new connection. */
const BEHIND_MS_MAX = 15_000;
/** After a filter could not be evaluated. */
const RETRY_MS = 1000;
/** How often counts go out by themselves, in ms. */
const COUNTS_INTERVAL_MS = 500;

/** What one tab is told: its window of the table, its lock, the events it asked for. Bounded whatever it reads. */
export class Tab {
  #view: LiveView;
  #key: Key | undefined;
  #sentWindow: RowWindow | undefined;
  #pinnedRows: PinnedRows;
  #countsAt = 0;
  #sentLock = "";
  #skipped = 0;
  #behindSince: number | undefined;
  #isPreparing = false;
  #isClosed = false;

  constructor(
    readonly id: string,
    private readonly sink: ResponseSink,
    view: LiveView,
    readonly principal: Principal,
    private readonly watcher: Watcher,
    private readonly cpu: CpuBudget = UNLIMITED_CPU,
  ) {
    sink.onClose(() => {
      this.#isClosed = true;
    });
    this.#view = view;
    this.#key = parseViewKey(view);
    this.#pinnedRows = new PinnedRows(view.keep, watcher);
  }

  get view(): LiveView {
    return this.#view;
  }

  send<Name extends LiveMessage["name"]>(
    name: Name,
    data: Extract<LiveMessage, { name: Name }>["data"],
  ): void {
    this.sendJson(name, JSON.stringify(data));
  }

  sendJson(name: LiveMessage["name"], json: string): void {
    this.sink.write(formatSseText(name, json));
  }

  changeView(view: LiveView, frame: LiveSnapshot): void {
    // With other rows to keep it has the same window still.
    if (!hasOnlyOtherPins(this.#view, view)) this.#sentWindow = undefined;
    this.#view = view;
    this.#key = parseViewKey(view);
    this.#pinnedRows = new PinnedRows(view.keep, this.watcher);
    this.#sentLock = "";
    // It is told when it has read what it has: else each change of a view that nobody reads would be kept.
    if (this.isBehind()) return;
    this.#sendWindow(frame);
    this.#sendPinned(frame);
    this.#sendLock(frame);
  }

  /** Takes what there is to see now. */
  sendChanges(frame: LiveSnapshot): void {
    if (this.isBehind()) {
      if (this.#view.events === "all" || this.#key !== undefined) this.#skipped += frame.eventCount;
      return;
    }
    this.#sendEvents(frame);
    this.#sendWindow(frame);
    this.#sendPinned(frame);
    this.#sendLock(frame);
  }

  /** Whether it has not read what it was told; ends it when that lasts. */
  isBehind(): boolean {
    if (this.sink.bufferedBytes <= BEHIND_BYTES_MAX) {
      this.#behindSince = undefined;
      return false;
    }
    this.#behindSince ??= performance.now();
    if (performance.now() - this.#behindSince > BEHIND_MS_MAX) this.sink.close();
    return true;
  }

  /** Evaluates the filter of the view if it is new, and then sends the window. */
  async prepareWindow(takeSnapshot: () => LiveSnapshot): Promise<void> {
    if (this.#isPreparing) return;
    this.#isPreparing = true;
    try {
      while (!this.#isClosed && !this.#isWindowReady()) {
        await this.#evaluateFilter();
        if (!this.#isWindowReady() || this.isBehind()) continue;
        const snapshot = takeSnapshot();
        this.#sendWindow(snapshot);
        this.#sendPinned(snapshot);
      }
    } finally {
      this.#isPreparing = false;
    }
  }

  #isWindowReady(): boolean {
    return this.watcher.index.isQueryReady(this.#view.filter, parseSortOrder(this.#view.sort));
  }

  async #evaluateFilter(): Promise<void> {
    const { filter, sort } = this.#view;
    try {
      this.cpu.assertAvailable();
      await this.watcher.index.prepareQuery(filter, parseSortOrder(sort), undefined, this.cpu);
    } catch (error) {
      // The window stays as it is until the caller may use the processor again.
      if (!(error instanceof LockkeeperError)) throw error;
      await sleep(RETRY_MS);
    }
  }

  // Nothing tells of a key outside the watch patterns, so it is looked at with every beat.
  async readUnwatchedLock(frame: () => LiveSnapshot): Promise<void> {
    const key = this.#key;
    if (key === undefined || this.watcher.isWatched(key) || !this.watcher.isUp || this.isBehind()) return;
    try {
      const { hold } = await this.watcher.readKey(key);
      if (this.#key === key) this.#sendLockIfChanged(frame().formatLock(key, hold), frame().now);
    } catch {
      // The health message says that Redis is away.
    }
  }

  #sendWindow(frame: LiveSnapshot): void {
    const before = this.#sentWindow;
    const after = frame.getWindow(this.#view);
    if (after === undefined) return;
    const change = after === before ? undefined : frame.getWindowChange(before, after);
    if (change !== undefined) this.sink.write(change);
    else if (before === undefined || (before.total === after.total && before.held === after.held)) return;
    else if (performance.now() - this.#countsAt < COUNTS_INTERVAL_MS) return;
    else this.sendJson("rows", frame.formatCounts(after));
    this.#sentWindow = after;
    this.#countsAt = performance.now();
  }

  #sendPinned(frame: LiveSnapshot): void {
    const items = this.#pinnedRows.collectChanges(frame, this.#sentWindow);
    if (items.length > 0) this.sendJson("kept", `{"now":${frame.now},"items":[${items.join(",")}]}`);
  }

  #sendLock(frame: LiveSnapshot): void {
    const key = this.#key;
    if (key === undefined || !this.watcher.isWatched(key)) return;
    this.#sendLockIfChanged(frame.formatLock(key, this.watcher.index.get(key)), frame.now);
  }

  #sendLockIfChanged({ text, state }: { text: string; state: string }, now: number): void {
    if (state === this.#sentLock) return;
    this.#sentLock = state;
    this.sendJson("lock", `{"now":${now},"lock":${text}}`);
  }

  #sendEvents(frame: LiveSnapshot): void {
    const skipped = this.#skipped;
    this.#skipped = 0;
    if (skipped > 0) this.sendJson("events", formatEvents([], skipped));
    if (!frame.hasEvents) return;
    if (this.#view.events === "all") {
      this.sink.write(frame.getAllEvents());
      return;
    }
    const text = this.#key === undefined ? undefined : frame.getEventsFor(this.#key);
    if (text !== undefined) this.sendJson("events", text);
  }
}

/** Whether one view asks for the same window as the other, and for other rows beside it. */
function hasOnlyOtherPins(one: LiveView, other: LiveView): boolean {
  const windowOf = ({ filter, sort, offset, limit }: LiveView) => [filter, sort, offset, limit].join(" ");
  return windowOf(one) === windowOf(other) && one.keep?.join(" ") !== other.keep?.join(" ");
}

function parseViewKey(view: LiveView): Key | undefined {
  if (view.lock === undefined) return undefined;
  const parsed = parseKeyPath(view.lock);
  return parsed.ok ? parsed.key : undefined;
}
