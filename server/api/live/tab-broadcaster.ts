import type { HistoryEntry } from "../../../lib/contract/event.ts";
import type { LiveView } from "../../../lib/contract/live.ts";
import type { Journal, Told } from "../../history/journal.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { Frame } from "./live-snapshot.ts";
import { RowTexts } from "./row-json-cache.ts";
import type { Tab } from "./tab.ts";

/** Between two moments at which tabs are told, in ms: the less, the fresher. Telling takes this share of the time. */
const EVERY_MS = 25;
const EVERY_MS_MAX = 500;
const SHARE = 0.25;
const HEALTH_EVERY_MS = 1000;
/** Of one moment; older ones are counted and no more. */
const PENDING_MAX = 500;
const RECENT_EVENTS = 200;
const NOTHING = { events: [], dropped: 0 };

/** Tells all tabs of one target what has changed, together: what costs is what is on screen, not who looks at it. */
export class Feed {
  readonly #tabs = new Set<Tab>();
  /** Who asked for events, and has not been told of those before. */
  readonly #lackRecent = new Set<Tab>();
  readonly #texts: RowTexts;
  #stops: (() => void)[] = [];
  #pending: HistoryEntry[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;
  #saidState = "";

  constructor(
    private readonly watcher: Watcher,
    private readonly journal: Journal,
  ) {
    this.#texts = new RowTexts(watcher);
  }

  /** @returns resolves when the tab has been told all of the first picture */
  join(tab: Tab): Promise<void> {
    if (this.#tabs.size === 0) this.#listen();
    this.#tabs.add(tab);
    if (tab.view.events === "all") this.#tellRecent(tab);
    const shown = this.#show(tab, tab.view);
    tab.say("health", this.watcher.health());
    return shown;
  }

  leave(tab: Tab): void {
    this.#tabs.delete(tab);
    this.#lackRecent.delete(tab);
    if (this.#tabs.size === 0) this.#rest();
  }

  look(tab: Tab, view: LiveView): void {
    const wantsEvents = view.events === "all" && tab.view.events !== "all";
    void this.#show(tab, view);
    if (wantsEvents) this.#lackRecent.add(tab);
    if (view.events !== "all") this.#lackRecent.delete(tab);
    this.#tellLacking(tab);
  }

  #show(tab: Tab, view: LiveView): Promise<void> {
    tab.look(view, this.#now());
    return tab.lookAtUnwatched(() => this.#now());
  }

  #tellLacking(tab: Tab): void {
    if (!this.#lackRecent.has(tab) || tab.isBehind()) return;
    this.#lackRecent.delete(tab);
    this.#tellRecent(tab);
  }

  #tellRecent(tab: Tab): void {
    tab.say("recent", { items: this.journal.recent(RECENT_EVENTS) });
  }

  /** How the target looks now, without what has happened. */
  #now(): Frame {
    return new Frame(this.watcher, this.#texts, NOTHING, this.journal);
  }

  #listen(): void {
    const timer = setInterval(() => this.#beat(), HEALTH_EVERY_MS);
    this.#stops = [
      () => clearInterval(timer),
      this.watcher.onChange(() => this.#tellSoon()),
      this.journal.follow((told) => this.#happened(told)),
    ];
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    this.#dropped = 0;
    for (const stop of this.#stops) stop();
  }

  #happened({ entry, was }: Told): void {
    this.#pending.push(was === undefined || entry.type === "gap" ? entry : { ...entry, was });
    if (this.#pending.length >= 2 * PENDING_MAX) {
      this.#dropped += this.#pending.length - PENDING_MAX;
      this.#pending = this.#pending.slice(-PENDING_MAX);
    }
    this.#tellSoon();
  }

  // At once after a quiet interval, then one moment after the other.
  #tellSoon(): void {
    this.#timer ??= setTimeout(() => this.#tell(), Math.max(0, this.#nextAt - performance.now()));
  }

  #tell(): void {
    this.#timer = undefined;
    const startedAt = performance.now();
    const before = process.cpuUsage();
    const happened = { events: this.#pending, dropped: this.#dropped };
    const frame = new Frame(this.watcher, this.#texts, happened, this.journal);
    this.#pending = [];
    this.#dropped = 0;
    for (const tab of this.#tabs) {
      this.#tellLacking(tab);
      tab.take(frame);
    }
    this.#tellState();
    // By what it took of the processor: that the machine is busy with others is no reason to tell more seldom.
    const { user, system } = process.cpuUsage(before);
    const pauseMs = ((user + system) / 1000) * (1 / SHARE - 1);
    this.#nextAt = Math.max(startedAt + EVERY_MS, performance.now() + Math.min(EVERY_MS_MAX, pauseMs));
  }

  #tellState(): void {
    const { state, notifications } = this.watcher.health();
    if (this.#saidState !== state + notifications) this.#sayHealth();
  }

  #beat(): void {
    this.#sayHealth();
    // What is only counted is told less often, and the last of it by now.
    this.#tellSoon();
    for (const tab of this.#tabs) void tab.lookAtUnwatched(() => this.#now());
  }

  #sayHealth(): void {
    const health = this.watcher.health();
    this.#saidState = health.state + health.notifications;
    const text = JSON.stringify(health);
    for (const tab of this.#tabs) if (!tab.isBehind()) tab.write("health", text);
  }
}
