import type { Redis } from "ioredis";

/**
 * A published lock in separate commands, in seconds, tried once: what comes then is its caller's. Its faults: the clock
 * is the client's; whoever loses has moved the winner's end; the release deletes whatever is there.
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
    // Taken over when what was swapped out has itself ended, whoever swapped it in.
    return Number(await this.redis.getset(key, ends)) < this.#now;
  }

  async release(key: string): Promise<void> {
    await this.redis.del(key);
  }

  get #now(): number {
    return Math.floor(Date.now() / 1000);
  }
}
