import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";
import type { StreamAccess } from "../api/session-endpoints.ts";
import type { StreamMode, StreamPorts, StreamSource } from "./stream-ports.ts";

/**
 * The state of the connection. `connecting`: no message has arrived since the page was loaded, the tab became visible
 * again or the user logged in. `reconnecting`: the connection was just lost. `stale`: no message has arrived for too
 * long, so the displayed data may be outdated. `logged_out`: there is no session. `refused`: the server refuses the
 * stream, because the target does not exist or the user has no access to it. `asleep`: the tab is hidden and has no
 * connection.
 */
export type Connection =
  | "connecting"
  | "live"
  | "reconnecting"
  | "stale"
  | "logged_out"
  | "refused"
  | "asleep";

export interface StreamListener {
  message(message: LiveMessage | undefined): void;
  connection(connection: Connection): void;
}

export const STALE_AFTER_MS = 2500;
/**
 * Time limit for the first message in ms. Longer than `STALE_AFTER_MS`, because networks can be slow and the page shows
 * no data before the first message.
 */
export const FIRST_MESSAGE_MS = 15_000;
/** Polling interval of a tab without a stream, in ms. Must be shorter than `STALE_AFTER_MS`. */
const POLL_INTERVAL_MS = 1200;
const DEAD_AFTER_MS = 10_000;
const SLEEP_AFTER_MS = 10_000;
/** For each state in which the server accepts no stream, the interval in ms between checks whether this has changed. */
const ACCESS_CHECK_MS = { logged_out: 10_000, refused: 5000 } as const;
const RETRY_MIN_MS = 300;
const RETRY_MAX_MS = 5000;
/** Maximum time in ms between two probes of a server that does not respond, before jitter. */
const PROBE_MAX_MS = 3000;

type TimerName = "stale" | "dead" | "retry" | "sleep" | "access";
type ClosedState = keyof typeof ACCESS_CHECK_MS;

/** Returns whether the page may show no data until the server accepts the stream. */
export const isClosedState = (connection: Connection): connection is ClosedState =>
  connection in ACCESS_CHECK_MS;

function isSameView(a: LiveView, b: LiveView): boolean {
  return (
    a.filter === b.filter &&
    a.sort === b.sort &&
    a.offset === b.offset &&
    a.limit === b.limit &&
    a.lock === b.lock &&
    a.keep?.join(" ") === b.keep?.join(" ") &&
    a.events === b.events &&
    isSameList(a.counts, b.counts) &&
    isSameList(a.namespaces, b.namespaces)
  );
}

/**
 * Returns whether two lists have the same items. Does not compare joined strings, because filters can contain spaces.
 */
const isSameList = (a: readonly string[] = [], b: readonly string[] = []) =>
  a.length === b.length && a.every((text, at) => text === b[at]);

/**
 * The stream of one browser tab. Reconnects if the connection is lost or silent. Disconnects after the tab has been
 * hidden for 10 s, until the tab is visible again.
 */
export class LiveStream {
  #ports: StreamPorts;
  #listener: StreamListener;
  #view: LiveView;
  #connection: Connection = "connecting";
  #source: StreamSource | undefined;
  #mode: StreamMode = "stream";
  #releaseSlot: (() => void) | undefined;
  #streamId: string | undefined;
  /** The view that was last sent to the server, or is being sent. */
  #sentView: LiveView | undefined;
  #sending = false;
  #failures = 0;
  /** Whether the page shows no data: no message has arrived since it was loaded or its data was removed. */
  #isFirst = true;
  /** Number of consecutive view changes that the server refused because it did not know the stream. */
  #goneStreams = 0;
  #running = false;
  #timers = new Map<TimerName, () => void>();
  #unsubscribePage: (() => void) | undefined;

  constructor(ports: StreamPorts, listener: StreamListener, view: LiveView) {
    this.#ports = ports;
    this.#listener = listener;
    this.#view = view;
  }

  /**
   * Whether this tab polls because all stream slots of the browser are in use. Tabs that poll receive no counts for
   * filters or namespaces.
   */
  get isPolling(): boolean {
    return this.#mode === "poll";
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#unsubscribePage = this.#ports.page.onChange(() => this.#onVisibilityChange());
    this.#connect();
    if (this.#ports.page.hidden()) this.#onVisibilityChange();
  }

  stop(): void {
    this.#running = false;
    this.#unsubscribePage?.();
    this.#disconnect();
    for (const name of [...this.#timers.keys()]) this.#cancelTimer(name);
  }

  setView(view: LiveView): void {
    if (isSameView(this.#view, view)) return;
    this.#view = view;
    void this.#sendView();
  }

  /** Requests the complete state of the view again. */
  resync(): void {
    this.#view = { ...this.#view };
    void this.#sendView();
  }

  /**
   * Disconnects until there is a session again. Must be called after a logout in this tab and after a 401 response to
   * any request.
   */
  markLoggedOut(): void {
    this.#close("logged_out");
  }

  /** Disconnects until the server accepts the stream again. A hidden tab checks this once it is visible. */
  #close(state: ClosedState): void {
    this.#disconnect();
    for (const name of ["stale", "dead", "retry"] as const) this.#cancelTimer(name);
    this.#isFirst = true;
    this.#setConnection(state);
    if (this.#ports.page.hidden()) return;
    this.#startTimer("access", ACCESS_CHECK_MS[state], () => void this.#checkAccess());
  }

  #connect(): void {
    this.#disconnect();
    this.#cancelTimer("retry");
    this.#releaseSlot = this.#ports.acquireSlot((hasPlace) => this.#openSource(hasPlace ? "stream" : "poll"));
    // Does not restart a running timer, because only messages show that the data is current.
    if (this.#connection === "connecting" && !this.#timers.has("stale")) this.#restartStaleTimer();
    this.#restartDeadTimer();
  }

  #openSource(mode: StreamMode): void {
    this.#mode = mode;
    // These fields can be too long for a URL, so they are sent once the stream is open.
    const { keep, counts, namespaces, ...windowView } = this.#view;
    const isComplete = keep === undefined && counts === undefined && namespaces === undefined;
    this.#sentView = isComplete ? this.#view : windowView;
    const source = this.#ports.open(this.#ports.url(this.#sentView, mode), {
      message: (message) => {
        if (this.#source === source) this.#handleMessage(message);
      },
      error: () => {
        if (this.#source === source) this.#onSourceError();
      },
    });
    this.#source = source;
  }

  #onSourceError(): void {
    if (this.#mode === "stream" || this.#streamId === undefined) {
      void this.#onFailure();
      return;
    }
    this.#disconnect();
    this.#startTimer("retry", POLL_INTERVAL_MS, () => this.#connect());
  }

  #disconnect(): void {
    this.#source?.close();
    this.#releaseSlot?.();
    this.#releaseSlot = undefined;
    this.#source = undefined;
    this.#streamId = undefined;
  }

  #handleMessage(message: LiveMessage | undefined): void {
    this.#isFirst = false;
    if (message?.name === "hello") {
      this.#streamId = message.data.stream;
      this.#failures = 0;
    }
    this.#restartStaleTimer();
    this.#restartDeadTimer();
    this.#listener.message(message);
    this.#setConnection("live");
    if (message?.name === "hello") void this.#sendView();
  }

  #restartStaleTimer(): void {
    const afterMs = this.#isFirst ? FIRST_MESSAGE_MS : STALE_AFTER_MS;
    this.#startTimer("stale", afterMs, () => this.#setConnection("stale"));
  }

  #restartDeadTimer(): void {
    const afterMs = this.#isFirst ? FIRST_MESSAGE_MS : DEAD_AFTER_MS;
    this.#startTimer("dead", afterMs, () => void this.#onFailure());
  }

  async #onFailure(): Promise<void> {
    this.#disconnect();
    this.#cancelTimer("dead");
    if (this.#connection === "live") this.#setConnection("reconnecting");
    const access = await this.#checkLostAccess();
    if (access === undefined) return;
    if (access === "unreachable") this.#probeLater();
    else this.#startTimer("retry", this.#nextPauseMs(RETRY_MAX_MS), () => this.#connect());
  }

  /** Probes the server with a small request after a pause. Repeats this until the server responds, then reconnects. */
  #probeLater(): void {
    this.#startTimer("retry", this.#nextPauseMs(PROBE_MAX_MS), async () => {
      const access = await this.#checkLostAccess();
      if (access === "unreachable") this.#probeLater();
      else if (access !== undefined) this.#connect();
    });
  }

  /**
   * Checks the access after a stream was lost. Returns `undefined` if the stream must not be reopened, because the
   * server refuses it, the tab is asleep, or the stream has been stopped or reopened.
   */
  async #checkLostAccess(): Promise<Exclude<StreamAccess, "out" | "refused"> | undefined> {
    const access = await this.#ports.checkAccess();
    const isWanted = this.#running && this.#source === undefined && !this.#timers.has("retry");
    if (!isWanted || this.#connection === "asleep" || isClosedState(this.#connection)) return undefined;
    // Reports an outage immediately if the page shows no data.
    if (access === "unreachable" && this.#isFirst) this.#setConnection("stale");
    if (access !== "out" && access !== "refused") return access;
    this.#close(access === "out" ? "logged_out" : access);
    return undefined;
  }

  #nextPauseMs(maxMs: number): number {
    const pauseMs = Math.min(maxMs, RETRY_MIN_MS * 2 ** this.#failures++);
    return pauseMs * (0.5 + this.#ports.random());
  }

  async #sendView(): Promise<void> {
    if (this.#sending) return;
    if (this.#mode === "poll") {
      // A tab that polls fetches the new view immediately, without waiting for the next poll.
      if (this.#running && this.#sentView !== this.#view && this.#timers.has("retry")) this.#connect();
      return;
    }
    this.#sending = true;
    while (this.#streamId !== undefined && this.#sentView !== this.#view) {
      const { stream, view } = { stream: this.#streamId, view: this.#view };
      this.#sentView = view;
      const result = await this.#ports.changeView(stream, view);
      if (this.#streamId !== stream) continue;
      if (result === "out") this.markLoggedOut();
      if (result === "done") this.#goneStreams = 0;
      // The first time, the stream has probably just ended. Repeated failures mean that a proxy sends view changes to
      // another instance.
      if (result === "gone") void (this.#goneStreams++ === 0 ? this.#connect() : this.#onFailure());
      // Reconnects, because a new connection requests the current view.
      if (result === "failed") void this.#onFailure();
    }
    this.#sending = false;
  }

  /** Checks whether the server accepts the stream again, and then connects. */
  async #checkAccess(): Promise<void> {
    const access = await this.#ports.checkAccess();
    const state = this.#connection;
    if (!this.#running || !isClosedState(state)) return;
    // A hidden tab has no connection. It checks again once it is visible.
    if (this.#ports.page.hidden() && (access === "in" || access === "unreachable")) this.#close(state);
    else if (access === "in") {
      this.#setConnection("connecting");
      this.#connect();
    } else if (access === "unreachable" && state === "refused") {
      this.#setConnection("stale");
      this.#probeLater();
    } else if (access === "out") this.#close("logged_out");
    else this.#close(access === "refused" ? access : state);
  }

  #onVisibilityChange(): void {
    if (this.#ports.page.hidden()) {
      this.#startTimer("sleep", SLEEP_AFTER_MS, () => this.#sleep());
      return;
    }
    this.#cancelTimer("sleep");
    if (isClosedState(this.#connection)) void this.#checkAccess();
    if (this.#connection !== "asleep") return;
    this.#setConnection("connecting");
    this.#connect();
  }

  #sleep(): void {
    if (isClosedState(this.#connection)) return;
    this.#disconnect();
    for (const name of ["stale", "dead", "retry"] as const) this.#cancelTimer(name);
    this.#setConnection("asleep");
  }

  #setConnection(connection: Connection): void {
    if (this.#connection === connection) return;
    this.#connection = connection;
    this.#listener.connection(connection);
  }

  #startTimer(name: TimerName, ms: number, run: () => void): void {
    this.#cancelTimer(name);
    this.#timers.set(
      name,
      this.#ports.timer(() => {
        this.#timers.delete(name);
        run();
      }, ms),
    );
  }

  #cancelTimer(name: TimerName): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}
