import type { Key } from "../../../lib/keys/key.ts";
import { PLAIN_SEMAPHORE_WRITER } from "../../formats/redisson/semaphore-writer.ts";
import type { Commands } from "../../redis/commands.ts";

/** Maximum time between two checks of a semaphore, in ms. Other processes can acquire permits with a short lease. */
const INTERVAL_MS = 5000;
/** Delay of the first check, in ms. Limits the cost of short holds to one script per semaphore and delay. */
const FIRST_MS = 1000;
/** Maximum random delay, in ms, which spreads the calls of several processes. */
const JITTER_MS = 50;

/**
 * Makes permits of plain semaphores available again when their leases have expired, while this process runs. Redisson
 * never reclaims such permits, and its clients sleep until they receive a message.
 *
 * Watches a semaphore from a grant in this process until no Lockkeeper hold has permits.
 */
export class PermitReclaimer {
  readonly #watched = new Set<Key>();

  constructor(private readonly redis: Commands) {}

  /**
   * Starts to watch a semaphore from which permits were acquired. Has no effect if the semaphore is already watched.
   *
   * @param delayMs minimum delay before the first check, in ms
   */
  watch(key: Key, delayMs = FIRST_MS): void {
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
    const timer = setTimeout(() => void this.#reclaim(key), delayMs + Math.random() * JITTER_MS);
    timer.unref();
  }

  async #reclaim(key: Key): Promise<void> {
    // Removed before the call, because permits may be acquired before its reply arrives.
    this.#watched.delete(key);
    // A connection with the status `end` does not reconnect.
    if (this.redis.status === "end") return;
    try {
      const nextMs = await PLAIN_SEMAPHORE_WRITER.reclaim(this.redis, key);
      if (nextMs !== undefined) this.watch(key, Math.min(nextMs, INTERVAL_MS));
    } catch {
      // Redis stores the leases, so the next call can reclaim the permits that this call did not reclaim.
      this.watch(key, INTERVAL_MS);
    }
  }
}
