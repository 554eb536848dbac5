import type { Key } from "../../../lib/keys/key.ts";
import { PLAIN_SEMAPHORE_WRITER } from "../../formats/redisson/semaphore-writer.ts";
import type { Commands } from "../../redis/commands.ts";

/** The longest time between two looks at a semaphore, because other processes can acquire permits with a short lease. */
const INTERVAL_MS = 5000;
/** A semaphore that is released again within this time costs no additional script. */
const FIRST_MS = 1000;
/** Spreads the calls of several processes. */
const JITTER_MS = 50;

/**
 * Returns the permits of plain semaphores whose holders died, for as long as this process lives. JVMs that wait for such a
 * permit sleep until they receive a message, and Redisson itself never returns it.
 *
 * A semaphore is watched from a grant in this process until no permits of Lockkeeper's holds are acquired.
 */
export class PermitReclaimer {
  readonly #watched = new Set<Key>();

  constructor(private readonly redis: Commands) {}

  /** Watches a semaphore of which permits were acquired. */
  watch(key: Key): void {
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
    this.#schedule(key, FIRST_MS);
  }

  #schedule(key: Key, delayMs: number): void {
    const timer = setTimeout(() => void this.#reclaim(key), delayMs + Math.random() * JITTER_MS);
    timer.unref();
  }

  async #reclaim(key: Key): Promise<void> {
    // A connection that reconnects has another state.
    if (this.redis.status === "end") return;
    try {
      const nextMs = await PLAIN_SEMAPHORE_WRITER.reclaim(this.redis, key);
      if (nextMs === undefined) this.#watched.delete(key);
      else this.#schedule(key, Math.min(nextMs, INTERVAL_MS));
    } catch {
      // The lease of each hold is in Redis, so the next call returns what this one did not.
      this.#schedule(key, INTERVAL_MS);
    }
  }
}
