import { Deadlines } from "./deadlines.ts";

const TIMER_MS_MAX = 60_000;

/** Calls `onDue` for each key at its scheduled time, with one timer for all keys. */
export class RereadSchedule<Key> {
  readonly #deadlines = new Deadlines<Key>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(private readonly onDue: (key: Key) => void) {}

  /**
   * Replaces the scheduled time of the key. Takes effect with the next call to `arm`.
   *
   * @param at `performance.now()`; `undefined` removes the key
   */
  set(key: Key, at: number | undefined): void {
    if (at === undefined) this.#deadlines.delete(key);
    else this.#deadlines.set(key, at);
  }

  /** Starts the timer for the earliest scheduled time. */
  arm(): void {
    clearTimeout(this.#timer);
    const next = this.#deadlines.peekNext();
    if (next === undefined || this.#isStopped) return;
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(0, Math.ceil(next - performance.now())));
    this.#timer = setTimeout(() => {
      for (const key of this.#deadlines.takeDue(performance.now())) this.onDue(key);
      this.arm();
    }, waitMs);
    this.#timer.unref();
  }

  /** Stops the timer, so that `onDue` is not called again. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
