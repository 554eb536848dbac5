import type { HistoryEntry } from "../../../lib/contract/event.ts";
import type { LiveView } from "../../../lib/contract/live.ts";
import type { Journal, PublishedEvent } from "../../history/journal.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { LiveSnapshot } from "./live-snapshot.ts";
import { RowJsonCache } from "./row-json-cache.ts";
import { COUNTS_INTERVAL_MS, type Tab } from "./tab.ts";

/** Minimum time between the starts of two broadcasts, in ms. */
const BROADCAST_INTERVAL_MS = 25;
/** Maximum pause after a broadcast in ms, whatever its CPU time. */
const BROADCAST_PAUSE_MAX_MS = 500;
/** Maximum share of time, from 0 to 1, that broadcasts may take, measured as CPU time. */
const CPU_SHARE = 0.25;
const HEALTH_INTERVAL_MS = 1000;
/**
 * Minimum number of newest events to keep for the next broadcast. Older events may be dropped and are then only
 * counted.
 */
const PENDING_MAX = 500;
const RECENT_EVENTS = 200;
const NO_EVENTS = { events: [], dropped: 0 };

/**
 * Broadcasts the changes of a target to all of its tabs. Tabs with the same view share the work, so the cost depends
 * more on the number of different views than on the number of tabs.
 */
export class TabBroadcaster {
  readonly #tabs = new Set<Tab>();
  /** Tabs that have requested all events but have not yet received the recent events. */
  readonly #awaitingRecent = new Set<Tab>();
  readonly #rowCache: RowJsonCache;
  #stopCallbacks: (() => void)[] = [];
  #pending: HistoryEntry[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #countsTimer: NodeJS.Timeout | undefined;
  #nextBroadcastAt = Number.NEGATIVE_INFINITY;
  #sentState = "";

  constructor(
    private readonly watcher: Watcher,
    private readonly journal: Journal,
  ) {
    this.#rowCache = new RowJsonCache(watcher.locks);
  }

  /** Adds a tab and sends the initial state of its view. Resolves when the complete state has been sent. */
  join(tab: Tab): Promise<void> {
    if (this.#tabs.size === 0) this.#subscribe();
    this.#tabs.add(tab);
    if (tab.view.events === "all") this.#sendRecent(tab);
    const shown = this.#showView(tab, tab.view);
    tab.send("health", this.watcher.health());
    return shown;
  }

  leave(tab: Tab): void {
    if (!this.#tabs.delete(tab)) return;
    this.#awaitingRecent.delete(tab);
    if (this.#tabs.size === 0) this.#unsubscribe();
  }

  changeView(tab: Tab, view: LiveView): void {
    const wantsEvents = view.events === "all" && tab.view.events !== "all";
    void this.#showView(tab, view);
    if (wantsEvents) this.#awaitingRecent.add(tab);
    if (view.events !== "all") this.#awaitingRecent.delete(tab);
    this.#sendRecentIfAwaited(tab);
  }

  async #showView(tab: Tab, view: LiveView): Promise<void> {
    tab.changeView(view, this.#takeSnapshot());
    const takeSnapshot = () => this.#takeSnapshot();
    await Promise.all([
      tab.prepareWindow(takeSnapshot),
      tab.prepareCounts(takeSnapshot),
      tab.readUnwatchedLock(takeSnapshot),
    ]);
  }

  #sendRecentIfAwaited(tab: Tab): void {
    if (!this.#awaitingRecent.has(tab) || tab.isBehind()) return;
    this.#awaitingRecent.delete(tab);
    this.#sendRecent(tab);
  }

  #sendRecent(tab: Tab): void {
    tab.send("recent", { items: this.journal.listRecent(RECENT_EVENTS) });
  }

  /** Takes a snapshot of the target, without new events. */
  #takeSnapshot(): LiveSnapshot {
    return new LiveSnapshot(this.watcher, this.#rowCache, NO_EVENTS, this.journal);
  }

  #subscribe(): void {
    const timer = setInterval(() => this.#onHealthInterval(), HEALTH_INTERVAL_MS);
    this.#stopCallbacks = [
      () => clearInterval(timer),
      this.watcher.onChange(() => this.#scheduleBroadcast()),
      this.journal.subscribeAll((published) => this.#onEvent(published)),
    ];
  }

  #unsubscribe(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#countsTimer);
    this.#timer = undefined;
    this.#countsTimer = undefined;
    this.#pending = [];
    this.#dropped = 0;
    for (const stop of this.#stopCallbacks) stop();
  }

  #onEvent({ entry, previousId }: PublishedEvent): void {
    this.#pending.push(
      previousId === undefined || entry.type === "gap" ? entry : { ...entry, was: previousId },
    );
    if (this.#pending.length >= 2 * PENDING_MAX) {
      this.#dropped += this.#pending.length - PENDING_MAX;
      this.#pending = this.#pending.slice(-PENDING_MAX);
    }
    this.#scheduleBroadcast();
  }

  // If there was no broadcast during the last interval, broadcasts immediately. Otherwise, broadcasts when the interval
  // has passed.
  #scheduleBroadcast(): void {
    this.#timer ??= setTimeout(
      () => this.#broadcast(),
      Math.max(0, this.#nextBroadcastAt - performance.now()),
    );
  }

  #broadcast(): void {
    this.#timer = undefined;
    const startedAt = performance.now();
    const before = process.cpuUsage();
    const happened = { events: this.#pending, dropped: this.#dropped };
    const frame = new LiveSnapshot(this.watcher, this.#rowCache, happened, this.journal);
    this.#pending = [];
    this.#dropped = 0;
    for (const tab of this.#tabs) {
      this.#sendRecentIfAwaited(tab);
      tab.sendChanges(frame);
      void tab.prepareWindow(() => this.#takeSnapshot());
      void tab.prepareCounts(() => this.#takeSnapshot());
    }
    this.#scheduleCounts();
    this.#broadcastStateChange();
    // The pause depends on CPU time instead of elapsed time, so that load from other processes does not reduce the
    // rate.
    const { user, system } = process.cpuUsage(before);
    const pauseMs = ((user + system) / 1000) * (1 / CPU_SHARE - 1);
    this.#nextBroadcastAt = Math.max(
      startedAt + BROADCAST_INTERVAL_MS,
      performance.now() + Math.min(BROADCAST_PAUSE_MAX_MS, pauseMs),
    );
  }

  /**
   * Schedules a broadcast if a tab has unsent counts, so that the final counts after several quick changes are sent.
   */
  #scheduleCounts(): void {
    if (![...this.#tabs].some((tab) => tab.areCountsPending)) return;
    this.#countsTimer ??= setTimeout(() => {
      this.#countsTimer = undefined;
      this.#scheduleBroadcast();
    }, COUNTS_INTERVAL_MS);
  }

  #broadcastStateChange(): void {
    const { state, notifications } = this.watcher.health();
    if (this.#sentState !== state + notifications) this.#broadcastHealth();
  }

  #onHealthInterval(): void {
    this.#broadcastHealth();
    // The broadcast includes counts that were held back because of their minimum interval.
    this.#scheduleBroadcast();
    for (const tab of this.#tabs) void tab.readUnwatchedLock(() => this.#takeSnapshot());
  }

  #broadcastHealth(): void {
    const health = this.watcher.health();
    this.#sentState = health.state + health.notifications;
    const text = JSON.stringify(health);
    for (const tab of this.#tabs) if (!tab.isBehind()) tab.sendJson("health", text);
  }
}
