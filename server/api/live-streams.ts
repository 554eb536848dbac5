import { randomBytes } from "node:crypto";
import type { LockEvent } from "../../lib/contract/event.ts";
import { type Key, keyOfPath } from "../../lib/contract/key.ts";
import type { LiveMessage, LiveView } from "../../lib/contract/live.ts";
import type { Principal } from "../auth/principal.ts";
import { NotFoundError } from "../locks/errors.ts";
import type { Target } from "../targets/target.ts";
import type { Hold } from "../watch/hold.ts";
import { orderOf } from "../watch/mirror.ts";
import type { Sink } from "./http.ts";
import { isTooFarBehind, sse } from "./sse.ts";

const WINDOW_EVERY_MS = 100;
const HEALTH_EVERY_MS = 1000;
const RECENT_EVENTS = 200;

/** The open streams of consoles, one a tab. */
export class LiveStreams {
  readonly #streams = new Map<string, LiveStream>();

  open(sink: Sink, view: LiveView, principal: Principal, target: Target): void {
    const id = randomBytes(12).toString("base64url");
    const stream = new LiveStream(id, sink, view, principal, target);
    this.#streams.set(id, stream);
    sink.onClose(() => {
      this.#streams.delete(id);
      stream.stop();
    });
    stream.start();
  }

  /** @throws LockkeeperError not_found */
  look(id: string, view: LiveView, principal: Principal): void {
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.principal.name !== principal.name) {
      throw new NotFoundError("This stream has ended; open GET /live again.");
    }
    stream.look(view);
  }
}

/** What one tab is told: its window of the table, its lock, every event, and how fresh all of it is. */
class LiveStream {
  readonly #stops: (() => void)[] = [];
  #windowTimer: NodeJS.Timeout | undefined;
  #windowAt = Number.NEGATIVE_INFINITY;
  #sentWindow = "";
  #sentLock = "";
  #sentState = "";

  constructor(
    readonly id: string,
    private readonly sink: Sink,
    private view: LiveView,
    readonly principal: Principal,
    private readonly target: Target,
  ) {}

  start(): void {
    const { watcher, journal } = this.target;
    this.#greet();
    this.#send({ name: "recent", data: { items: journal.recent(RECENT_EVENTS) } });
    const timer = setInterval(() => this.#beat(), HEALTH_EVERY_MS);
    this.#stops.push(
      () => clearInterval(timer),
      watcher.onChange(() => this.#onChange()),
      journal.subscribe((event) => this.#onEvent(event)),
    );
    this.look(this.view);
    this.#beat();
  }

  stop(): void {
    clearTimeout(this.#windowTimer);
    for (const stop of this.#stops) stop();
  }

  look(view: LiveView): void {
    this.view = view;
    this.#sentWindow = "";
    this.#sentLock = "";
    this.#pushWindow();
    void this.#lookAtUnwatched();
  }

  #greet(): void {
    const { name, address, server, policy, watcher } = this.target;
    const data = {
      stream: this.id,
      now: watcher.clock.now(),
      operator: { name: this.principal.name, role: this.principal.role },
      target: { name, address, server },
      watch: [...policy.watch],
      lockable: [...policy.lockable],
    };
    this.#send({ name: "hello", data });
  }

  #onChange(): void {
    const { state, notifications } = this.target.watcher.health();
    if (this.#sentState !== state + notifications) this.#beat();
    if (this.#windowTimer !== undefined) return;
    // At once after a quiet interval, then at most every interval.
    const waitMs = Math.max(0, this.#windowAt + WINDOW_EVERY_MS - performance.now());
    this.#windowTimer = setTimeout(() => this.#pushWindow(), waitMs);
  }

  #onEvent(event: LockEvent): void {
    this.#send({ name: "event", data: event });
  }

  #beat(): void {
    const data = this.target.watcher.health();
    this.#sentState = data.state + data.notifications;
    this.#send({ name: "health", data });
    void this.#lookAtUnwatched();
  }

  #pushWindow(): void {
    clearTimeout(this.#windowTimer);
    this.#windowTimer = undefined;
    this.#windowAt = performance.now();
    const { watcher } = this.target;
    const { filter, sort, offset, limit } = this.view;
    const holds = watcher.mirror.sorted(filter, orderOf(sort));
    const items = holds.slice(offset, offset + limit).map((hold) => watcher.lockOf(hold));
    const window = { offset, total: holds.length, held: watcher.mirror.size, items };
    const text = JSON.stringify(window);
    if (text !== this.#sentWindow) {
      this.#sentWindow = text;
      this.#send({ name: "window", data: { now: watcher.clock.now(), ...window } });
    }
    const key = this.#key();
    if (key !== undefined && watcher.isWatched(key)) {
      this.#pushLock(key, watcher.mirror.get(key));
    }
  }

  // Nothing tells of a key outside the watch patterns, so it is looked at with every beat.
  async #lookAtUnwatched(): Promise<void> {
    const { watcher } = this.target;
    const key = this.#key();
    if (key === undefined || watcher.isWatched(key) || !watcher.isUp) return;
    try {
      const { hold } = await watcher.look(key);
      this.#pushLock(key, hold);
    } catch {
      // The health message says that Redis is away.
    }
  }

  #pushLock(key: Key, hold: Hold | undefined): void {
    const { watcher } = this.target;
    const now = watcher.clock.now();
    const waiters = watcher.mirror.waitersOf(key);
    const lock = hold === undefined ? watcher.freeLock(key, now, waiters) : watcher.lockOf(hold);
    // That a free key is still free is no news, although the moment is another.
    const text = hold === undefined ? `free ${waiters?.count ?? 0} ${key}` : JSON.stringify(lock);
    if (text === this.#sentLock) return;
    this.#sentLock = text;
    this.#send({ name: "lock", data: { now, lock } });
  }

  #key(): Key | undefined {
    if (this.view.lock === undefined) return undefined;
    const parsed = keyOfPath(this.view.lock);
    return parsed.ok ? parsed.key : undefined;
  }

  #send({ name, data }: LiveMessage): void {
    if (isTooFarBehind(this.sink)) this.sink.close();
    else this.sink.write(sse(name, data));
  }
}
