import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";
import type { Carry, Source, StreamPorts } from "./stream-ports.ts";

/**
 * `connecting`: nothing heard yet, or woken up again. `stale`: silence for too long; what is shown may be wrong.
 * `asleep`: the tab is hidden and holds no connection.
 */
export type Connection = "connecting" | "live" | "stale" | "logged_out" | "asleep";

export interface StreamListener {
  message(message: LiveMessage | undefined): void;
  connection(connection: Connection): void;
}

export const STALE_AFTER_MS = 2500;
/** How often a tab asks that has no connection of its own; less than what is stale. */
const ASK_EVERY_MS = 1200;
const DEAD_AFTER_MS = 10_000;
const SLEEP_AFTER_MS = 10_000;
const LOGIN_CHECK_MS = 10_000;
const RETRY_MIN_MS = 300;
const RETRY_MAX_MS = 5000;

type TimerName = "stale" | "dead" | "retry" | "sleep" | "login";

function sameView(a: LiveView, b: LiveView): boolean {
  return (
    a.filter === b.filter &&
    a.sort === b.sort &&
    a.offset === b.offset &&
    a.limit === b.limit &&
    a.lock === b.lock &&
    a.keep?.join(" ") === b.keep?.join(" ") &&
    a.events === b.events
  );
}

/** The console's one stream a tab: connects, notices silence, comes back, sleeps while nobody looks. */
export class LiveStream {
  #ports: StreamPorts;
  #listener: StreamListener;
  #view: LiveView;
  #connection: Connection = "connecting";
  #source: Source | undefined;
  #carry: Carry = "on";
  #leavePlace: (() => void) | undefined;
  #streamId: string | undefined;
  /** The view the server has, or is being told. */
  #sent: LiveView | undefined;
  #sending = false;
  #failures = 0;
  #running = false;
  #timers = new Map<TimerName, () => void>();
  #forgetPage: (() => void) | undefined;

  constructor(ports: StreamPorts, listener: StreamListener, view: LiveView) {
    this.#ports = ports;
    this.#listener = listener;
    this.#view = view;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#forgetPage = this.#ports.page.onChange(() => this.#pageChanged());
    this.#connect();
    if (this.#ports.page.hidden()) this.#pageChanged();
  }

  stop(): void {
    this.#running = false;
    this.#forgetPage?.();
    this.#disconnect();
    for (const name of [...this.#timers.keys()]) this.#cancel(name);
  }

  setView(view: LiveView): void {
    if (sameView(this.#view, view)) return;
    this.#view = view;
    void this.#tellView();
  }

  /** The server is to tell all of the view again. */
  lookAgain(): void {
    this.#view = { ...this.#view };
    void this.#tellView();
  }

  /** After a log out here, or a 401 anywhere. */
  loggedOut(): void {
    this.#disconnect();
    for (const name of ["stale", "dead", "retry"] as const) this.#cancel(name);
    this.#become("logged_out");
    this.#after("login", LOGIN_CHECK_MS, () => void this.#checkLogin());
  }

  #connect(): void {
    this.#disconnect();
    this.#cancel("retry");
    this.#leavePlace = this.#ports.takePlace((hasPlace) => this.#open(hasPlace ? "on" : "once"));
    // Only words push the moment of staleness away: a new connection that says nothing does not.
    if (this.#connection === "connecting" && !this.#timers.has("stale")) this.#watchSilence();
    this.#watchDeath();
  }

  #open(carry: Carry): void {
    this.#carry = carry;
    // Too long for an address: what is kept is told as soon as there is a stream to tell it to.
    const { keep, ...asked } = this.#view;
    this.#sent = keep === undefined ? this.#view : asked;
    const source = this.#ports.open(this.#ports.url(this.#sent, carry), {
      message: (message) => {
        if (this.#source === source) this.#heard(message);
      },
      error: () => {
        if (this.#source === source) this.#ended();
      },
    });
    this.#source = source;
  }

  #ended(): void {
    if (this.#carry === "on" || this.#streamId === undefined) {
      void this.#failed();
      return;
    }
    this.#disconnect();
    this.#after("retry", ASK_EVERY_MS, () => this.#connect());
  }

  #disconnect(): void {
    this.#source?.close();
    this.#leavePlace?.();
    this.#leavePlace = undefined;
    this.#source = undefined;
    this.#streamId = undefined;
  }

  #heard(message: LiveMessage | undefined): void {
    if (message?.name === "hello") {
      this.#streamId = message.data.stream;
      this.#failures = 0;
    }
    this.#watchSilence();
    this.#watchDeath();
    this.#listener.message(message);
    this.#become("live");
    if (message?.name === "hello") void this.#tellView();
  }

  #watchSilence(): void {
    this.#after("stale", STALE_AFTER_MS, () => this.#become("stale"));
  }

  #watchDeath(): void {
    this.#after("dead", DEAD_AFTER_MS, () => void this.#failed());
  }

  async #failed(): Promise<void> {
    this.#disconnect();
    this.#cancel("dead");
    const session = await this.#ports.checkSession();
    if (!this.#running || this.#source !== undefined || this.#connection === "asleep") return;
    if (session === "out") {
      this.loggedOut();
      return;
    }
    const pause = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** this.#failures++);
    this.#after("retry", pause * (0.5 + this.#ports.random()), () => this.#connect());
  }

  async #tellView(): Promise<void> {
    if (this.#sending) return;
    if (this.#carry === "once") {
      // The next picture is of the new view; it is asked for at once.
      if (this.#running && this.#sent !== this.#view && this.#timers.has("retry")) this.#connect();
      return;
    }
    this.#sending = true;
    while (this.#streamId !== undefined && this.#sent !== this.#view) {
      const { stream, view } = { stream: this.#streamId, view: this.#view };
      this.#sent = view;
      const result = await this.#ports.changeView(stream, view);
      if (this.#streamId !== stream) continue;
      if (result === "out") this.loggedOut();
      if (result === "gone") this.#connect();
      // A view that was not taken is asked for anew by a new connection.
      if (result === "failed") void this.#failed();
    }
    this.#sending = false;
  }

  async #checkLogin(): Promise<void> {
    const session = await this.#ports.checkSession();
    if (!this.#running || this.#connection !== "logged_out") return;
    if (session === "in") {
      this.#become("connecting");
      this.#connect();
    } else if (!this.#ports.page.hidden())
      this.#after("login", LOGIN_CHECK_MS, () => void this.#checkLogin());
  }

  #pageChanged(): void {
    if (this.#ports.page.hidden()) {
      this.#after("sleep", SLEEP_AFTER_MS, () => this.#sleep());
      return;
    }
    this.#cancel("sleep");
    if (this.#connection === "logged_out") void this.#checkLogin();
    if (this.#connection !== "asleep") return;
    this.#become("connecting");
    this.#connect();
  }

  #sleep(): void {
    if (this.#connection === "logged_out") return;
    this.#disconnect();
    for (const name of ["stale", "dead", "retry"] as const) this.#cancel(name);
    this.#become("asleep");
  }

  #become(connection: Connection): void {
    if (this.#connection === connection) return;
    this.#connection = connection;
    this.#listener.connection(connection);
  }

  #after(name: TimerName, ms: number, run: () => void): void {
    this.#cancel(name);
    this.#timers.set(
      name,
      this.#ports.timer(() => {
        this.#timers.delete(name);
        run();
      }, ms),
    );
  }

  #cancel(name: TimerName): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}
