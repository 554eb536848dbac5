import type { Redis } from "ioredis";

/**
 * A published lock implementation that uses separate commands and seconds, and makes one attempt. It has three faults:
 * it uses the client's clock, a failed attempt changes the winner's deadline, and the release deletes any value.
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
    // The takeover succeeds if the replaced value had expired, regardless of which client wrote it.
    return Number(await this.redis.getset(key, ends)) < this.#now;
  }

  async release(key: string): Promise<void> {
    await this.redis.del(key);
  }

  get #now(): number {
    return Math.floor(Date.now() / 1000);
  }
}
