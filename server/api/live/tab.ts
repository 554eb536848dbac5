import type { LiveMessage, LiveView } from "../../../lib/contract/live.ts";
import { type Key, keyOfPath } from "../../../lib/keys/key.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { Sink } from "../http/http-exchange.ts";
import { sseText } from "../http/sse.ts";
import { eventsText, type Frame } from "./live-snapshot.ts";
import { KeptRows } from "./pinned-rows.ts";
import type { Window } from "./window-diff.ts";

/** A browser that has this much before it is told no more until it has read it: then the newest, not all between. */
const BEHIND_BYTES = 64 * 1024;
/** One that is behind for so long has gone, or wants a new connection. */
const BEHIND_MS_MAX = 15_000;
/** How often counts go out by themselves, in ms. */
const COUNTS_EVERY_MS = 500;

/** What one tab is told: its window of the table, its lock, the events it asked for. Bounded whatever it reads. */
export class Tab {
  #view: LiveView;
  #key: Key | undefined;
  #sentWindow: Window | undefined;
  #kept: KeptRows;
  #countsAt = 0;
  #sentLock = "";
  #skipped = 0;
  #behindSince: number | undefined;

  constructor(
    readonly id: string,
    private readonly sink: Sink,
    view: LiveView,
    readonly principal: Principal,
    private readonly watcher: Watcher,
  ) {
    this.#view = view;
    this.#key = keyOf(view);
    this.#kept = new KeptRows(view.keep, watcher);
  }

  get view(): LiveView {
    return this.#view;
  }

  say<Name extends LiveMessage["name"]>(
    name: Name,
    data: Extract<LiveMessage, { name: Name }>["data"],
  ): void {
    this.write(name, JSON.stringify(data));
  }

  write(name: LiveMessage["name"], json: string): void {
    this.sink.write(sseText(name, json));
  }

  look(view: LiveView, frame: Frame): void {
    // With other rows to keep it has the same window still.
    if (!isOtherKeep(this.#view, view)) this.#sentWindow = undefined;
    this.#view = view;
    this.#key = keyOf(view);
    this.#kept = new KeptRows(view.keep, this.watcher);
    this.#sentLock = "";
    // It is told when it has read what it has: else each change of a view that nobody reads would be kept.
    if (this.isBehind()) return;
    this.#tellWindow(frame);
    this.#tellKept(frame);
    this.#tellLock(frame);
  }

  /** Takes what there is to see now. */
  take(frame: Frame): void {
    if (this.isBehind()) {
      if (this.#view.events === "all" || this.#key !== undefined) this.#skipped += frame.eventCount;
      return;
    }
    this.#tellEvents(frame);
    this.#tellWindow(frame);
    this.#tellKept(frame);
    this.#tellLock(frame);
  }

  /** Whether it has not read what it was told; ends it when that lasts. */
  isBehind(): boolean {
    if (this.sink.waiting <= BEHIND_BYTES) {
      this.#behindSince = undefined;
      return false;
    }
    this.#behindSince ??= performance.now();
    if (performance.now() - this.#behindSince > BEHIND_MS_MAX) this.sink.close();
    return true;
  }

  // Nothing tells of a key outside the watch patterns, so it is looked at with every beat.
  async lookAtUnwatched(frame: () => Frame): Promise<void> {
    const key = this.#key;
    if (key === undefined || this.watcher.isWatched(key) || !this.watcher.isUp || this.isBehind()) return;
    try {
      const { hold } = await this.watcher.look(key);
      if (this.#key === key) this.#pushLock(frame().lockOf(key, hold), frame().now);
    } catch {
      // The health message says that Redis is away.
    }
  }

  #tellWindow(frame: Frame): void {
    const before = this.#sentWindow;
    const after = frame.windowOf(this.#view);
    const change = after === before ? undefined : frame.changeOf(before, after);
    if (change !== undefined) this.sink.write(change);
    else if (before === undefined || (before.total === after.total && before.held === after.held)) return;
    else if (performance.now() - this.#countsAt < COUNTS_EVERY_MS) return;
    else this.write("rows", frame.countsOf(after));
    this.#sentWindow = after;
    this.#countsAt = performance.now();
  }

  #tellKept(frame: Frame): void {
    const items = this.#kept.news(frame, this.#sentWindow);
    if (items.length > 0) this.write("kept", `{"now":${frame.now},"items":[${items.join(",")}]}`);
  }

  #tellLock(frame: Frame): void {
    const key = this.#key;
    if (key === undefined || !this.watcher.isWatched(key)) return;
    this.#pushLock(frame.lockOf(key, this.watcher.mirror.get(key)), frame.now);
  }

  #pushLock({ text, state }: { text: string; state: string }, now: number): void {
    if (state === this.#sentLock) return;
    this.#sentLock = state;
    this.write("lock", `{"now":${now},"lock":${text}}`);
  }

  #tellEvents(frame: Frame): void {
    const skipped = this.#skipped;
    this.#skipped = 0;
    if (skipped > 0) this.write("events", eventsText([], skipped));
    if (!frame.hasEvents) return;
    if (this.#view.events === "all") {
      this.sink.write(frame.allEvents());
      return;
    }
    const text = this.#key === undefined ? undefined : frame.eventsOf(this.#key);
    if (text !== undefined) this.write("events", text);
  }
}

/** Whether one view asks for the same window as the other, and for other rows beside it. */
function isOtherKeep(one: LiveView, other: LiveView): boolean {
  const windowOf = ({ filter, sort, offset, limit }: LiveView) => [filter, sort, offset, limit].join(" ");
  return windowOf(one) === windowOf(other) && one.keep?.join(" ") !== other.keep?.join(" ");
}

function keyOf(view: LiveView): Key | undefined {
  if (view.lock === undefined) return undefined;
  const parsed = keyOfPath(view.lock);
  return parsed.ok ? parsed.key : undefined;
}
