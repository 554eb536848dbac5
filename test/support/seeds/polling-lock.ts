import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";

export interface PollingLockOptions {
  readonly leaseMs?: number;
  readonly waitMs?: number;
  readonly everyMs?: number;
}

/**
 * A published lock implementation that uses separate commands and milliseconds, and polls. It has three faults: it uses
 * the client's clock, a failed attempt changes the winner's deadline, and the release deletes any value.
 */
export class PollingLock {
  #isHeld = false;

  constructor(
    private readonly redis: Redis,
    private readonly options: PollingLockOptions = {},
  ) {}

  async acquire(key: string): Promise<boolean> {
    const { leaseMs = 60_000, waitMs = 10_000, everyMs = 100 } = this.options;
    for (let leftMs = waitMs; leftMs >= 0; leftMs -= everyMs) {
      const ends = String(Date.now() + leaseMs + 1);
      if ((await this.redis.setnx(key, ends)) === 1 || (await this.#takeOver(key, ends))) {
        this.#isHeld = true;
        return true;
      }
      await sleep(everyMs);
    }
    return false;
  }

  async #takeOver(key: string, ends: string): Promise<boolean> {
    const held = await this.redis.get(key);
    if (held === null || Number(held) >= Date.now()) return false;
    return (await this.redis.getset(key, ends)) === held;
  }

  async release(key: string): Promise<void> {
    if (this.#isHeld) await this.redis.del(key);
    this.#isHeld = false;
  }
}
