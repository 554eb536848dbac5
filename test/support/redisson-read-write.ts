import type { Redis } from "ioredis";

/** Scripts of Redisson 4.7.0 for read/write locks, without the latch for repeated unlocks. */
const LOCK_READ = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then
  redis.call('hset', KEYS[1], 'mode', 'read'); redis.call('hset', KEYS[1], ARGV[2], 1);
  redis.call('set', KEYS[2] .. ':1', 1); redis.call('pexpire', KEYS[2] .. ':1', ARGV[1]);
  redis.call('pexpire', KEYS[1], ARGV[1]); return nil;
end;
if (mode == 'read') or (mode == 'write' and redis.call('hexists', KEYS[1], ARGV[3]) == 1) then
  local ind = redis.call('hincrby', KEYS[1], ARGV[2], 1); local key = KEYS[2] .. ':' .. ind;
  redis.call('set', key, 1); redis.call('pexpire', key, ARGV[1]);
  local remainTime = redis.call('pttl', KEYS[1]);
  redis.call('pexpire', KEYS[1], math.max(remainTime, ARGV[1])); return nil;
end;
return redis.call('pttl', KEYS[1]);`;

const UNLOCK_READ = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then redis.call('publish', KEYS[2], ARGV[1]); return nil; end;
local lockExists = redis.call('hexists', KEYS[1], ARGV[2]);
if (lockExists == 0) then return nil; end;
local counter = redis.call('hincrby', KEYS[1], ARGV[2], -1);
if (counter == 0) then redis.call('hdel', KEYS[1], ARGV[2]); end;
redis.call('del', KEYS[3] .. ':' .. (counter+1));
if (redis.call('hlen', KEYS[1]) > 1) then
  local maxRemainTime = -3; local keys = redis.call('hkeys', KEYS[1]);
  for n, key in ipairs(keys) do
    counter = tonumber(redis.call('hget', KEYS[1], key));
    if type(counter) == 'number' then
      for i=counter, 1, -1 do
        local remainTime = redis.call('pttl', KEYS[4] .. ':' .. key .. ':rwlock_timeout:' .. i);
        maxRemainTime = math.max(remainTime, maxRemainTime);
      end;
    end;
  end;
  if maxRemainTime > 0 then redis.call('pexpire', KEYS[1], maxRemainTime); return 0; end;
  if mode == 'write' then return 0; end;
end;
redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); return 1;`;

const LOCK_WRITE = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then
  redis.call('hset', KEYS[1], 'mode', 'write'); redis.call('hset', KEYS[1], ARGV[2], 1);
  redis.call('pexpire', KEYS[1], ARGV[1]); return nil;
end;
if (mode == 'write') then
  if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
    redis.call('hincrby', KEYS[1], ARGV[2], 1); local currentExpire = redis.call('pttl', KEYS[1]);
    redis.call('pexpire', KEYS[1], currentExpire + ARGV[1]); return nil;
  end;
end;
return redis.call('pttl', KEYS[1]);`;

const UNLOCK_WRITE = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then redis.call('publish', KEYS[2], ARGV[1]); return nil; end;
if (mode == 'write') then
  local lockExists = redis.call('hexists', KEYS[1], ARGV[3]);
  if (lockExists == 0) then return nil;
  else
    local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1);
    if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[2]); return 0;
    else
      redis.call('hdel', KEYS[1], ARGV[3]);
      if (redis.call('hlen', KEYS[1]) == 1) then
        redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]);
      else redis.call('hset', KEYS[1], 'mode', 'read'); end;
      return 1;
    end;
  end;
end;
return nil;`;

/** A thread of a Redisson client that uses one read/write lock. The key must not contain braces. */
export class RedissonReadWriteThread {
  readonly #leases: string;
  readonly #channel: string;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    readonly owner: string,
  ) {
    this.#leases = `{${key}}:${owner}:rwlock_timeout`;
    this.#channel = `redisson_rwlock:{${key}}`;
  }

  get writer(): string {
    return `${this.owner}:write`;
  }

  /** Acquires the read lock. @returns whether the lock was granted */
  async lockRead(leaseMs = 60_000): Promise<boolean> {
    const reply = await this.redis.eval(
      LOCK_READ,
      2,
      this.key,
      this.#leases,
      leaseMs,
      this.owner,
      this.writer,
    );
    return reply === null;
  }

  /**
   * Releases the read lock once.
   * @returns 1 if the lock is free, 0 if this or another reader still holds the lock, `null` if the thread held nothing
   */
  unlockRead(): Promise<unknown> {
    const keys = [this.key, this.#channel, this.#leases, `{${this.key}}`];
    return this.redis.eval(UNLOCK_READ, 4, ...keys, 0, this.owner);
  }

  async lockWrite(leaseMs = 60_000): Promise<boolean> {
    return (await this.redis.eval(LOCK_WRITE, 1, this.key, leaseMs, this.writer)) === null;
  }

  unlockWrite(leaseMs = 60_000): Promise<unknown> {
    return this.redis.eval(UNLOCK_WRITE, 2, this.key, this.#channel, 1, leaseMs, this.writer);
  }
}
