import type {
  Health,
  LiveHello,
  LiveMessage,
  LiveView,
  LiveWindow,
  PinnedLock,
} from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { encodeKeyPath, parseKeyFields } from "@/lib/keys/key.ts";
import type { TargetName } from "../api/request.ts";
import { applyRowChanges } from "./apply-row-changes.ts";
import { EventLog } from "./event-log.ts";
import { type Connection, isClosedState, LiveStream } from "./live-stream.ts";
import { createServerClock, type ServerClock } from "./server-clock.ts";
import type { StreamPorts } from "./stream-ports.ts";
import { createTicker, type Ticker } from "./ticker.ts";
import { applyCounts, CountRequests, type CountSnapshot } from "./view-counts.ts";

export interface LiveState {
  connection: Connection;
  hello: LiveHello | null;
  health: Health | null;
  /**
   * Whether the user must reload the page. Set when a message cannot be parsed, which usually means that the server
   * runs a different version than the page.
   */
  outdated: boolean;
}

export const INITIAL_LIVE_STATE: LiveState = {
  connection: "connecting",
  hello: null,
  health: null,
  outdated: false,
};

/** The cache that receives the streamed state. */
export interface LiveCache {
  window(window: LiveWindow): void;
  lock(lock: Lock): void;
  /** Receives the pinned locks that are not in the window. The keys of the map are lock keys as path segments. */
  pinned(pinned: ReadonlyMap<string, PinnedLock>): void;
  /** Called when a new connection opens, because fetched data may be outdated. */
  reconnected(): void;
  clear(): void;
}

export type WindowView = Omit<LiveView, "lock" | "events" | "counts" | "namespaces">;

const EMPTY_VIEW: WindowView = { filter: "", sort: "key", offset: 0, limit: 0 };

/**
 * Holds the state that the stream sends to one tab of the console, and the subscriptions of the components in the tab.
 * Does not depend on React.
 */
export class LiveStore {
  readonly clock: ServerClock;
  readonly ticker: Ticker;
  readonly events: EventLog;
  #stream: LiveStream;
  #elapsed: () => number;
  #cache: LiveCache;
  /**
   * Time of the last message, as measured with `elapsed`; `null` before the first message. Not part of the state,
   * because every message would then notify the listeners.
   */
  #lastMessageAt: number | null = null;
  #state = INITIAL_LIVE_STATE;
  #listeners = new Set<() => void>();
  #window = EMPTY_VIEW;
  #currentWindow: LiveWindow | undefined;
  #pinned: ReadonlyMap<string, PinnedLock> = new Map();
  #counts: CountSnapshot | undefined;
  #countListeners = new Set<() => void>();
  readonly #countRequests = new CountRequests();
  #isViewPending = false;
  #lockRequests: { path: string }[] = [];
  #eventReaders = 0;

  constructor(
    ports: StreamPorts,
    cache: LiveCache,
    elapsed: () => number,
    events = new EventLog(),
    /** Name of the target; `undefined` for the first configured target. */
    readonly target: TargetName = undefined,
  ) {
    this.#elapsed = elapsed;
    this.#cache = cache;
    this.events = events;
    this.clock = createServerClock(elapsed);
    this.ticker = createTicker(() => this.clock.now());
    this.#stream = new LiveStream(
      ports,
      {
        message: (message) => this.#handleMessage(message),
        connection: (connection) => {
          // Countdowns also stop while the tab is hidden.
          this.ticker.rest(connection === "asleep");
          if (isClosedState(connection)) this.#forget();
          this.#setState({ connection });
        },
      },
      { ...EMPTY_VIEW, events: "none" },
    );
  }

  start(): void {
    this.#stream.start();
  }

  stop(): void {
    this.#stream.stop();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LiveState => this.#state;

  /**
   * Returns the latest counts; `undefined` until they arrive. The counts are not in the cache, because the cache
   * notifies its readers one by one, and some components would then show new counts earlier than others.
   */
  readonly counts = (): CountSnapshot | undefined => this.#counts;

  readonly onCounts = (listener: () => void): (() => void) => {
    this.#countListeners.add(listener);
    return () => this.#countListeners.delete(listener);
  };

  /** Returns the time since the last message in milliseconds; `null` before the first message. */
  getMsSinceMessage(): number | null {
    return this.#lastMessageAt === null ? null : this.#elapsed() - this.#lastMessageAt;
  }

  /** Sets the window of the list to stream; `undefined` if the page shows no list. */
  subscribeWindow(window: WindowView | undefined): void {
    this.#window = window ?? EMPTY_VIEW;
    this.#sendView();
  }

  /**
   * Subscribes to the state of a lock. Returns a function that ends the subscription. The stream contains only the lock
   * that was subscribed to last.
   *
   * @param path the key as a path segment
   */
  subscribeLock(path: string): () => void {
    const wish = { path };
    this.#lockRequests.push(wish);
    this.#sendView();
    return () => {
      this.#lockRequests = this.#lockRequests.filter((other) => other !== wish);
      this.#sendView();
    };
  }

  /**
   * Subscribes to the number of locks that match each filter, and to the counts of the namespaces below each prefix.
   * Returns a function that ends the subscription.
   */
  subscribeCounts(counted: Pick<LiveView, "counts" | "namespaces">): () => void {
    const withdraw = this.#countRequests.add(counted);
    this.#sendViewSoon();
    return () => {
      withdraw();
      this.#sendViewSoon();
    };
  }

  /** Whether this tab receives counts for filters and namespaces. A tab that polls does not receive them. */
  get hasFilterCounts(): boolean {
    return !this.#stream.isPolling;
  }

  /** Subscribes to the events of all locks. @returns a function that ends the subscription */
  subscribeEvents(): () => void {
    this.#eventReaders++;
    this.#sendView();
    return () => {
      this.#eventReaders--;
      this.#sendView();
    };
  }

  markLoggedOut(): void {
    this.#stream.markLoggedOut();
  }

  /** Removes all data, because the session or the access to the target has ended. */
  #forget(): void {
    this.#currentWindow = undefined;
    this.#pinned = new Map();
    this.events.clear();
    this.#cache.clear();
    this.#lastMessageAt = null;
    this.#setCounts(undefined);
    this.#setState({ hello: null, health: null });
  }

  /** Sends the view once after several changes, because many components can mount and unmount at the same time. */
  #sendViewSoon(): void {
    if (this.#isViewPending) return;
    this.#isViewPending = true;
    queueMicrotask(() => {
      this.#isViewPending = false;
      this.#sendView();
    });
  }

  #sendView(): void {
    const lock = this.#lockRequests.at(-1)?.path;
    const events = this.#eventReaders > 0 ? "all" : "none";
    const counted = this.#countRequests.toView();
    this.#stream.setView({ ...this.#window, events, ...counted, ...(lock === undefined ? {} : { lock }) });
  }

  #handleMessage(message: LiveMessage | undefined): void {
    this.#lastMessageAt = this.#elapsed();
    if (message === undefined) {
      this.#setState({ outdated: true });
      return;
    }
    if (message.name === "hello") this.clock.reset();
    if ("now" in message.data) this.clock.observe(message.data.now);
    switch (message.name) {
      case "hello":
        this.#cache.reconnected();
        this.#setState({ hello: message.data });
        break;
      case "health":
        this.#setState({ health: message.data });
        break;
      case "window":
        this.#applyWindow(message.data);
        break;
      case "rows":
        this.#applyWindow(this.#currentWindow && applyRowChanges(this.#currentWindow, message.data));
        break;
      case "counts":
        this.#setCounts(applyCounts(this.#counts, message.data));
        break;
      case "kept":
        this.#updatePinned(message.data.items);
        break;
      case "lock":
        this.#cache.lock(message.data.lock);
        break;
      case "recent":
        this.events.addRecent(message.data.items);
        break;
      case "events":
        this.events.add(message.data.items, message.data.skipped);
        break;
    }
  }

  /** Updates the pinned locks, and removes locks that are no longer pinned. */
  #updatePinned(items: readonly PinnedLock[]): void {
    const wanted = new Set(this.#window.keep);
    const entries = items.map((item) => [encodeKeyPath(parseKeyFields(item.lock)), item] as const);
    const known = [...this.#pinned].filter(([path]) => wanted.has(path));
    this.#pinned = new Map([...known, ...entries]);
    this.#cache.pinned(this.#pinned);
  }

  /**
   * Applies a window. If the window is `undefined`, because the changes did not match the previous window, requests the
   * complete window.
   */
  #applyWindow(window: LiveWindow | undefined): void {
    this.#currentWindow = window;
    if (window === undefined) {
      this.#stream.resync();
      return;
    }
    this.#removePinned(window);
    this.#cache.window(window);
  }

  /** Removes pinned locks that the window now contains. */
  #removePinned({ items }: LiveWindow): void {
    if (this.#pinned.size === 0) return;
    const shown = new Set(items.map((lock) => encodeKeyPath(parseKeyFields(lock))));
    const pinned = [...this.#pinned].filter(([path]) => !shown.has(path));
    if (pinned.length === this.#pinned.size) return;
    this.#pinned = new Map(pinned);
    this.#cache.pinned(this.#pinned);
  }

  #setCounts(counts: CountSnapshot | undefined): void {
    this.#counts = counts;
    for (const listener of this.#countListeners) listener();
  }

  #setState(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
