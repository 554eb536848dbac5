import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";

/**
 * A published lock implementation in one Lua script. It has four faults: it uses the client's clock, it passes a
 * deadline to EXPIRE instead of a duration, a takeover sets a deadline twice as far in the future as intended, and the
 * value does not identify the holder.
 */
const ACQUIRE_SCRIPT = `
local now, lease = tonumber(ARGV[1]), tonumber(ARGV[2])
local ends = now + lease + 1
local function answer(number, what)
  redis.log(redis.LOG_DEBUG, KEYS[1] .. ': ' .. what)
  return number
end
if redis.call('SETNX', KEYS[1], ends) == 1 then
  redis.call('EXPIRE', KEYS[1], ends)
  return answer(0, 'free')
end
local held = redis.call('GET', KEYS[1])
if not held then return answer(1, 'gone meanwhile') end
if tonumber(held) > now then return answer(2, 'held') end
local swapped = redis.call('GETSET', KEYS[1], now + 2 * (lease + 1))
if swapped ~= held then return answer(3, 'someone was faster') end
redis.call('EXPIRE', KEYS[1], lease + 1)
return answer(0, 'taken over')
`;

/**
 * Variants of the release. `printed` is the published code, which only releases expired locks. `described` follows the
 * description in the publication, which only releases unexpired locks.
 */
const RELEASE_SCRIPTS = {
  printed:
    "if tonumber(redis.call('GET', KEYS[1]) or 'x') <= tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end",
  described:
    "local held = redis.call('GET', KEYS[1]) if held and tonumber(held) > tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end",
};

export interface ScriptLockOptions {
  readonly leaseSeconds?: number;
  readonly tries?: number;
  readonly pauseMs?: number;
  readonly release?: keyof typeof RELEASE_SCRIPTS;
  /** Offset of the client's clock, in seconds. */
  readonly clockSeconds?: number;
}

export class ScriptLock {
  constructor(
    private readonly redis: Redis,
    private readonly options: ScriptLockOptions = {},
  ) {}

  async acquire(key: string): Promise<boolean> {
    const { leaseSeconds = 3, tries = 3, pauseMs = 300 } = this.options;
    for (let tried = 1; tried <= tries; tried++) {
      if ((await this.redis.eval(ACQUIRE_SCRIPT, 1, key, this.#now, leaseSeconds)) === 0) return true;
      await sleep(pauseMs);
    }
    return false;
  }

  async release(key: string): Promise<void> {
    await this.redis.eval(RELEASE_SCRIPTS[this.options.release ?? "printed"], 1, key, this.#now);
  }

  get #now(): number {
    return Math.floor(Date.now() / 1000) + (this.options.clockSeconds ?? 0);
  }
}
