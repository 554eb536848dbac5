import type { SeenHold } from "./wait-stop.ts";

/** The interval at which typical polling libraries retry, in ms. */
const FIRST_MS = 10;
const LAST_MS = 1000;

/**
 * The intervals at which a waiter retries while a client of another library holds the lock. A release by that client
 * may cause no message, in particular without keyspace notifications. Clients that poll every few milliseconds would
 * always overtake a waiter that retries every two seconds.
 *
 * The intervals are short after the first attempt and after each attempt that finds a new holder. They double, up to
 * the default interval, while the holder stays the same.
 */
export class RetryIntervals {
  #last: SeenHold | undefined;
  #nextMs: number | undefined;

  recordAttempt(now: SeenHold): void {
    const last = this.#last;
    this.#last = now;
    if (now.fence !== null) this.#nextMs = undefined;
    else if (last === undefined || last.owner !== now.owner || last.fence !== null) this.#nextMs = FIRST_MS;
  }

  /** Returns the next interval in ms; `undefined` if the default interval applies. */
  takeNext(): number | undefined {
    const ms = this.#nextMs;
    if (ms !== undefined) this.#nextMs = ms < LAST_MS ? ms * 2 : undefined;
    return ms;
  }
}
