import type { Redis } from "ioredis";

/**
 * A published lock made of separate commands, in seconds, with one attempt; retries are up to its caller. Its faults:
 * it uses the client's clock; a failed attempt changes the winner's end; the release deletes any value.
 */
export class SingleTryLock {
  constructor(
    private readonly redis: Redis,
    private readonly leaseSeconds = 3,
  ) {}

  async acquire(key: string): Promise<boolean> {
    const ends = String(this.#now + this.leaseSeconds);
    if ((await this.redis.setnx(key, ends)) === 1) return true;
    const held = await this.redis.get(key);
    if (held === null || Number(held) >= this.#now) return false;
    // The takeover succeeds if the replaced value had expired, no matter who wrote it.
    return Number(await this.redis.getset(key, ends)) < this.#now;
  }

  async release(key: string): Promise<void> {
    await this.redis.del(key);
  }

  get #now(): number {
    return Math.floor(Date.now() / 1000);
  }
}
