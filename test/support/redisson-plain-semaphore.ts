import type { Redis } from "ioredis";

// The scripts of RedissonSemaphore in Redisson 4.7.0.
const TRY_ACQUIRE = `
local value = redis.call('get', KEYS[1]);
if (value ~= false and tonumber(value) >= tonumber(ARGV[1])) then
  local val = redis.call('decrby', KEYS[1], ARGV[1]);
  return 1;
end;
return 0;`;
const RELEASE = `
local value = redis.call('incrby', KEYS[1], ARGV[1]);
redis.call(ARGV[2], KEYS[2], value);`;
const TRY_SET_PERMITS = `
local value = redis.call('get', KEYS[1]);
if (value == false) then
  redis.call('set', KEYS[1], ARGV[1]);
  redis.call(ARGV[2], KEYS[2], ARGV[1]);
  return 1;
end;
return 0;`;
const ADD_PERMITS = `
local value = redis.call('get', KEYS[1]);
if (value == false) then
  value = 0;
end;
redis.call('set', KEYS[1], value + ARGV[1]);
redis.call(ARGV[2], KEYS[2], value + ARGV[1]);`;

/** A client that sends the same commands as Redisson's RSemaphore. */
export class RedissonPlainSemaphore {
  readonly #channel: string;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
  ) {
    this.#channel = `redisson_sc:{${key}}`;
  }

  async tryAcquire(permits = 1): Promise<boolean> {
    return (await this.redis.eval(TRY_ACQUIRE, 1, this.key, permits)) === 1;
  }

  async release(permits = 1): Promise<void> {
    await this.redis.eval(RELEASE, 2, this.key, this.#channel, permits, "publish");
  }

  async trySetPermits(permits: number): Promise<boolean> {
    return (await this.redis.eval(TRY_SET_PERMITS, 2, this.key, this.#channel, permits, "publish")) === 1;
  }

  /** Adds permits to the semaphore. @param permits number of permits; negative to remove permits */
  async addPermits(permits: number): Promise<void> {
    await this.redis.eval(ADD_PERMITS, 2, this.key, this.#channel, permits, "publish");
  }
}
