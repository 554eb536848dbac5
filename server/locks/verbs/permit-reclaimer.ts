import type { Key } from "../../../lib/keys/key.ts";
import { PLAIN_SEMAPHORE_WRITER } from "../../formats/redisson/semaphore-writer.ts";
import type { Commands } from "../../redis/commands.ts";

/** The longest time between two checks of a semaphore, because other processes can acquire permits with a short lease. */
const INTERVAL_MS = 5000;
/** The delay of the first check, so that a hold that is released soon costs few additional scripts. */
const FIRST_MS = 1000;
/** The maximum random delay, which spreads the calls of several processes. */
const JITTER_MS = 50;

/**
 * While this process runs, makes permits of plain semaphores available again if their holders died. Redisson never does
 * this, and Redisson clients that wait for permits sleep until they receive a message.
 *
 * A semaphore is watched from a grant in this process until no hold of Lockkeeper has permits.
 */
export class PermitReclaimer {
  readonly #watched = new Set<Key>();

  constructor(private readonly redis: Commands) {}

  /** Watches a semaphore whose permits were acquired. */
  watch(key: Key, delayMs = FIRST_MS): void {
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
    const timer = setTimeout(() => void this.#reclaim(key), delayMs + Math.random() * JITTER_MS);
    timer.unref();
  }

  async #reclaim(key: Key): Promise<void> {
    // Before the call, because permits may be acquired before its reply arrives.
    this.#watched.delete(key);
    // A connection that is reconnecting has a different state.
    if (this.redis.status === "end") return;
    try {
      const nextMs = await PLAIN_SEMAPHORE_WRITER.reclaim(this.redis, key);
      if (nextMs !== undefined) this.watch(key, Math.min(nextMs, INTERVAL_MS));
    } catch {
      // The leases are stored in Redis, so the next call returns the permits that this one did not.
      this.watch(key, INTERVAL_MS);
    }
  }
}
