import type { SeenHold } from "./wait-stop.ts";

/** As often as the libraries that poll do it. */
const FIRST_MS = 10;
const LAST_MS = 1000;

/**
 * How soon a waiter looks again at a lock that a client of another library holds. Such a release may come without a
 * message, and where keyspace notifications are off nothing tells of it. Clients that poll every few milliseconds would
 * always be faster than one that looks every two seconds.
 *
 * The first look and each one that finds a new holder start short intervals. They double while the holder stays the
 * same.
 */
export class RetryIntervals {
  #last: SeenHold | undefined;
  #nextMs: number | undefined;

  recordLook(now: SeenHold): void {
    const last = this.#last;
    this.#last = now;
    if (now.fence !== null) this.#nextMs = undefined;
    else if (last === undefined || last.owner !== now.owner || last.fence !== null) this.#nextMs = FIRST_MS;
  }

  /** The interval to sleep for, in ms; undefined: no shorter than usual. */
  takeNext(): number | undefined {
    const ms = this.#nextMs;
    if (ms !== undefined) this.#nextMs = ms < LAST_MS ? ms * 2 : undefined;
    return ms;
  }
}
