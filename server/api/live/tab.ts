import { setTimeout as sleep } from "node:timers/promises";
import type { LiveMessage, LiveView } from "../../../lib/contract/live.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Principal } from "../../auth/principal.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { parseSortOrder } from "../../watch/index/query-context.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { type CpuBudget, UNLIMITED_CPU } from "../http/cpu-budgets.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { formatSseText } from "../http/sse.ts";
import { formatEvents, type LiveSnapshot } from "./live-snapshot.ts";
import { PinnedRows } from "./pinned-rows.ts";
import { TabCounts } from "./tab-counts.ts";
import { hasSameCounts, hasSameWindow, parseViewKey } from "./tab-view.ts";
import type { RowWindow } from "./window-diff.ts";

/**
 * Maximum number of unread bytes. A tab with more receives no messages until it has caught up, and then only the latest
 * state.
 */
const BEHIND_BYTES_MAX = 64 * 1024;
/** Maximum time in ms for which a tab may be behind before it is disconnected. */
const BEHIND_MS_MAX = 15_000;
/** Pause in ms before a filter that could not be evaluated is evaluated again. */
const RETRY_MS = 1000;
/** Minimum time between two messages that change only the counts of the window, in ms. */
const WINDOW_COUNTS_INTERVAL_MS = 500;
/** Minimum time between two `counts` messages, in ms. */
export const COUNTS_INTERVAL_MS = 250;

/**
 * The console stream of one tab: the window of the lock list, the pinned rows, the single lock, the counts and the
 * events that the tab shows. Memory use stays bounded even if the tab reads slowly.
 */
export class Tab {
  #view: LiveView;
  #key: Key | undefined;
  #sentWindow: RowWindow | undefined;
  #pinnedRows: PinnedRows;
  #windowCountsAt = 0;
  #counts: TabCounts;
  #countsAt = Number.NEGATIVE_INFINITY;
  #areCountsPending = false;
  #sentLock = "";
  #skipped = 0;
  #behindSince: number | undefined;
  #isPreparing = false;
  #isPreparingCounts = false;
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
    this.#counts = new TabCounts(view, watcher, cpu);
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
    if (!hasSameWindow(this.#view, view)) this.#sentWindow = undefined;
    if (!hasSameCounts(this.#view, view)) this.#counts = new TabCounts(view, this.watcher, this.cpu);
    this.#view = view;
    this.#key = parseViewKey(view);
    this.#pinnedRows = new PinnedRows(view.keep, this.watcher);
    this.#sentLock = "";
    // A tab that does not read could otherwise fill its buffer by changing the view repeatedly.
    if (this.isBehind()) return;
    this.#sendWindow(frame);
    this.#sendPinned(frame);
    this.#sendLock(frame);
    this.#sendCounts(frame);
  }

  /**
   * Sends the differences between a snapshot and the data that the tab has received. If the tab is behind, sends
   * nothing and only counts the events that the tab misses.
   */
  sendChanges(frame: LiveSnapshot): void {
    if (this.isBehind()) {
      if (this.#view.events === "all" || this.#key !== undefined) this.#skipped += frame.eventCount;
      return;
    }
    this.#sendEvents(frame);
    this.#sendWindow(frame);
    this.#sendPinned(frame);
    this.#sendLock(frame);
    this.#areCountsPending = performance.now() - this.#countsAt < COUNTS_INTERVAL_MS;
    if (!this.#areCountsPending) this.#sendCounts(frame);
  }

  /**
   * Whether counts were not sent, although they may have changed, because the minimum time since the previous `counts`
   * message had not passed.
   */
  get areCountsPending(): boolean {
    return this.#areCountsPending;
  }

  /**
   * Returns whether more than `BEHIND_BYTES_MAX` bytes are buffered for the tab. Disconnects a tab that stays behind
   * for longer than `BEHIND_MS_MAX`.
   */
  isBehind(): boolean {
    if (this.sink.bufferedBytes <= BEHIND_BYTES_MAX) {
      this.#behindSince = undefined;
      return false;
    }
    this.#behindSince ??= performance.now();
    if (performance.now() - this.#behindSince > BEHIND_MS_MAX) this.sink.close();
    return true;
  }

  /** If the window is not ready, evaluates the filter of the view and then sends the window and the pinned rows. */
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

  /**
   * If the counts are not ready, evaluates the counted filters, groups the namespaces of the view, and sends the
   * counts.
   */
  async prepareCounts(takeSnapshot: () => LiveSnapshot): Promise<void> {
    if (this.#isPreparingCounts) return;
    this.#isPreparingCounts = true;
    try {
      while (!this.#isClosed && !this.#counts.isReady) {
        const counts = this.#counts;
        const isPrepared = await counts.prepare();
        if (counts === this.#counts && !this.isBehind()) this.#sendCounts(takeSnapshot());
        // Filters may have been refused, or already evicted because the caches are too small. Pauses before they are
        // evaluated again.
        if (counts === this.#counts && !(isPrepared && counts.isReady)) await sleep(RETRY_MS);
      }
    } finally {
      this.#isPreparingCounts = false;
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
      // The filter was refused. The window stays unchanged until the caller has CPU time left.
      if (!(error instanceof LockkeeperError)) throw error;
      await sleep(RETRY_MS);
    }
  }

  // Reads the lock of the view if its key is outside the watch patterns. Such keys are not observed, so they are read
  // at every health interval.
  async readUnwatchedLock(frame: () => LiveSnapshot): Promise<void> {
    const key = this.#key;
    if (key === undefined || this.watcher.isWatched(key) || !this.watcher.isUp || this.isBehind()) return;
    try {
      const { hold } = await this.watcher.readKey(key);
      if (this.#key === key) this.#sendLockIfChanged(frame().formatLock(key, hold), frame().now);
    } catch {
      // Ignored, because the health message reports that Redis is unreachable.
    }
  }

  #sendWindow(frame: LiveSnapshot): void {
    const before = this.#sentWindow;
    const after = frame.getWindow(this.#view);
    if (after === undefined) return;
    const change = after === before ? undefined : frame.getWindowChange(before, after);
    if (change !== undefined) this.sink.write(change);
    else if (before === undefined || (before.total === after.total && before.held === after.held)) return;
    else if (performance.now() - this.#windowCountsAt < WINDOW_COUNTS_INTERVAL_MS) return;
    else this.sendJson("rows", frame.formatCounts(after));
    this.#sentWindow = after;
    this.#windowCountsAt = performance.now();
  }

  #sendCounts(frame: LiveSnapshot): void {
    this.#countsAt = performance.now();
    const counts = this.#counts.collectChanges(frame);
    if (counts !== undefined) this.send("counts", counts);
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
