import type { Health, KeptLock, LiveHello, LiveMessage, LiveView, LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { keyOfFields, pathOfKey } from "@/lib/keys/key.ts";
import type { TargetName } from "../api/request.ts";
import { windowAfter } from "./apply-row-changes.ts";
import { EventLog } from "./event-log.ts";
import { type Connection, LiveStream } from "./live-stream.ts";
import { createServerClock, type ServerClock } from "./server-clock.ts";
import type { StreamPorts } from "./stream-ports.ts";
import { createTicker, type Ticker } from "./ticker.ts";

export interface LiveState {
  connection: Connection;
  hello: LiveHello | null;
  health: Health | null;
  /** The server speaks a newer language than this page: it must be loaded again. */
  outdated: boolean;
}

export const FIRST_STATE: LiveState = {
  connection: "connecting",
  hello: null,
  health: null,
  outdated: false,
};

/** Where pictures go that are cached by what they show. */
export interface Pictures {
  window(window: LiveWindow): void;
  lock(lock: Lock): void;
  /** By path; of those only that the window does not tell of. */
  kept(kept: ReadonlyMap<string, KeptLock>): void;
  /** A new connection: what was fetched before may have missed something. */
  reconnected(): void;
  forget(): void;
}

export type WindowView = Omit<LiveView, "lock" | "events">;

const NOTHING: WindowView = { filter: "", sort: "key", offset: 0, limit: 0 };

/** All that the console knows of the server, fed by the one stream. Knows nothing of React. */
export class LiveStore {
  readonly clock: ServerClock;
  readonly ticker: Ticker;
  readonly events: EventLog;
  #stream: LiveStream;
  #elapsed: () => number;
  #pictures: Pictures;
  /** Not part of the state: it changes with every message, and is shown only while none comes. */
  #heardAt: number | null = null;
  #state = FIRST_STATE;
  #listeners = new Set<() => void>();
  #window = NOTHING;
  #shown: LiveWindow | undefined;
  #kept: ReadonlyMap<string, KeptLock> = new Map();
  #locks: { path: string }[] = [];
  #eventReaders = 0;

  constructor(
    ports: StreamPorts,
    pictures: Pictures,
    elapsed: () => number,
    events = new EventLog(),
    /** The target that all of this is about; undefined: the first that is configured. */
    readonly target: TargetName = undefined,
  ) {
    this.#elapsed = elapsed;
    this.#pictures = pictures;
    this.events = events;
    this.clock = createServerClock(elapsed);
    this.ticker = createTicker(() => this.clock.now());
    this.#stream = new LiveStream(
      ports,
      {
        message: (message) => this.#heard(message),
        connection: (connection) => {
          // Nobody looks at a tab that sleeps: its countdowns stand still, too.
          this.ticker.rest(connection === "asleep");
          this.#set({ connection });
        },
      },
      { ...NOTHING, events: "none" },
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

  /** How long ago the server was last heard; null: never. */
  silenceMs(): number | null {
    return this.#heardAt === null ? null : this.#elapsed() - this.#heardAt;
  }

  /** undefined: no table is on screen. */
  showWindow(window: WindowView | undefined): void {
    this.#window = window ?? NOTHING;
    this.#tellView();
  }

  /** A key in path form. The last one asked for wins, until what this returns is called. */
  showLock(path: string): () => void {
    const wish = { path };
    this.#locks.push(wish);
    this.#tellView();
    return () => {
      this.#locks = this.#locks.filter((other) => other !== wish);
      this.#tellView();
    };
  }

  /** The events of all locks, until what this returns is called. */
  showEvents(): () => void {
    this.#eventReaders++;
    this.#tellView();
    return () => {
      this.#eventReaders--;
      this.#tellView();
    };
  }

  loggedOut(): void {
    this.events.clear();
    this.#pictures.forget();
    this.#stream.loggedOut();
    this.#heardAt = null;
    this.#set({ hello: null, health: null });
  }

  #tellView(): void {
    const lock = this.#locks.at(-1)?.path;
    const events = this.#eventReaders > 0 ? "all" : "none";
    this.#stream.setView({ ...this.#window, events, ...(lock === undefined ? {} : { lock }) });
  }

  #heard(message: LiveMessage | undefined): void {
    this.#heardAt = this.#elapsed();
    if (message === undefined) {
      this.#set({ outdated: true });
      return;
    }
    if (message.name === "hello") this.clock.reset();
    if ("now" in message.data) this.clock.observe(message.data.now);
    switch (message.name) {
      case "hello":
        this.#pictures.reconnected();
        this.#set({ hello: message.data });
        break;
      case "health":
        this.#set({ health: message.data });
        break;
      case "window":
        this.#take(message.data);
        break;
      case "rows":
        this.#take(this.#shown && windowAfter(this.#shown, message.data));
        break;
      case "kept":
        this.#keep(message.data.items);
        break;
      case "lock":
        this.#pictures.lock(message.data.lock);
        break;
      case "recent":
        this.events.addRecent(message.data.items);
        break;
      case "events":
        this.events.add(message.data.items, message.data.skipped);
        break;
    }
  }

  /** What was told before of rows that are kept no more is forgotten. */
  #keep(items: readonly KeptLock[]): void {
    const wanted = new Set(this.#window.keep);
    const told = items.map((item) => [pathOfKey(keyOfFields(item.lock)), item] as const);
    const known = [...this.#kept].filter(([path]) => wanted.has(path));
    this.#kept = new Map([...known, ...told]);
    this.#pictures.kept(this.#kept);
  }

  /** What does not fit what was told before can only be mended by all of it. */
  #take(window: LiveWindow | undefined): void {
    this.#shown = window;
    if (window === undefined) {
      this.#stream.lookAgain();
      return;
    }
    this.#unkeep(window);
    this.#pictures.window(window);
  }

  /** The window tells of it now. */
  #unkeep({ items }: LiveWindow): void {
    if (this.#kept.size === 0) return;
    const shown = new Set(items.map((lock) => pathOfKey(keyOfFields(lock))));
    const kept = [...this.#kept].filter(([path]) => !shown.has(path));
    if (kept.length === this.#kept.size) return;
    this.#kept = new Map(kept);
    this.#pictures.kept(this.#kept);
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
