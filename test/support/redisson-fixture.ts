import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";

/** Builds the name of an auxiliary key like Redisson, which adds braces to a key without braces. */
const addPrefix = (prefix: string, key: string) => `${prefix}:${key.includes("{") ? key : `{${key}}`}`;
const addSuffix = (key: string, suffix: string) => `${key.includes("{") ? key : `{${key}}`}:${suffix}`;

const READ_SCRIPT = `
local mode = redis.call('HGET', KEYS[1], 'mode')
local enters = mode == 'write' and redis.call('HEXISTS', KEYS[1], ARGV[1] .. ':write') == 1
if mode and mode ~= 'read' and not enters then return redis.call('PTTL', KEYS[1]) end
if not mode then redis.call('HSET', KEYS[1], 'mode', 'read') end
local entry = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('SET', KEYS[2] .. ':' .. entry, 1, 'PX', ARGV[2])
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2])))
return false`;

const WRITE_SCRIPT = `
local mode = redis.call('HGET', KEYS[1], 'mode')
local own = ARGV[1] .. ':write'
if mode and (mode ~= 'write' or redis.call('HEXISTS', KEYS[1], own) == 0) then return redis.call('PTTL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'mode', 'write')
redis.call('HINCRBY', KEYS[1], own, 1)
redis.call('PEXPIRE', KEYS[1], math.max(0, redis.call('PTTL', KEYS[1])) + ARGV[2])
return false`;

const FAIR_SCRIPT = `
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  local score = head and redis.call('ZSCORE', KEYS[3], head)
  if not score or tonumber(score) > tonumber(ARGV[3]) then break end
  redis.call('ZREM', KEYS[3], head)
  redis.call('LPOP', KEYS[2])
end
local head = redis.call('LINDEX', KEYS[2], 0)
if redis.call('EXISTS', KEYS[1]) == 0 and (not head or head == ARGV[1]) then
  redis.call('LPOP', KEYS[2])
  redis.call('ZREM', KEYS[3], ARGV[1])
  for _, waiter in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('ZINCRBY', KEYS[3], -ARGV[4], waiter) end
  redis.call('HSET', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return false
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return false
end
if not redis.call('ZSCORE', KEYS[3], ARGV[1]) then
  local last = redis.call('LINDEX', KEYS[2], -1)
  local base = last and redis.call('ZSCORE', KEYS[3], last) or redis.call('PTTL', KEYS[1]) + ARGV[3]
  redis.call('ZADD', KEYS[3], base + ARGV[4], ARGV[1])
  redis.call('RPUSH', KEYS[2], ARGV[1])
end
return redis.call('PTTL', KEYS[1])`;

const FAIR_UNLOCK_SCRIPT = `
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  local score = head and redis.call('ZSCORE', KEYS[3], head)
  if not score or tonumber(score) > tonumber(ARGV[2]) then break end
  redis.call('ZREM', KEYS[3], head)
  redis.call('LPOP', KEYS[2])
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('DEL', KEYS[1])
local head = redis.call('LINDEX', KEYS[2], 0)
if head then redis.call('PUBLISH', ARGV[3] .. ':' .. head, 0) end
return 1`;

const GROUP_SCRIPT = `
local now, ends = tonumber(ARGV[2]), ARGV[2] + ARGV[3]
for i = 4, #ARGV do
  local owner = redis.call('HGET', KEYS[1], ARGV[i])
  local last = owner and redis.call('HGET', KEYS[1], ARGV[i] .. ':' .. owner .. ':expire_time')
  if owner and owner ~= ARGV[1] and last and tonumber(last) > now then return tonumber(last) - now end
end
for i = 4, #ARGV do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[1])
  redis.call('HSET', KEYS[1], ARGV[i] .. ':' .. ARGV[1] .. ':expire_time', string.format('%.0f', ends))
  redis.call('HINCRBY', KEYS[1], ARGV[i] .. ':' .. ARGV[1] .. ':lock_count', 1)
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return false`;

export interface FixtureLease {
  readonly leaseMs?: number;
  readonly thread?: number;
}

/**
 * A client that sends the same commands for locks as Redisson but does not wait. Each acquire returns `null` if the
 * lock was acquired, otherwise the remaining milliseconds of the current lease.
 */
export class RedissonFixture {
  readonly #id = randomUUID();

  constructor(private readonly redis: Redis) {}

  getOwner(thread = 1): string {
    return `${this.#id}:${thread}`;
  }

  /** Acquires a plain or a fenced lock. */
  async acquireLock(
    key: string,
    { leaseMs = 30_000, thread }: FixtureLease = {},
    kind: "plain" | "fenced" = "plain",
  ) {
    const multi = this.redis.multi().hincrby(key, this.getOwner(thread), 1).pexpire(key, leaseMs);
    if (kind === "fenced") multi.incr(addPrefix("redisson_lock_token", key));
    const [, , fence] = (await multi.exec()) ?? [];
    return Number(fence?.[1] ?? 0);
  }

  /** Acquires a fair lock, or joins its queue. `waitMs` is the time for which the queue treats the waiter as live. */
  async acquireFair(
    key: string,
    { leaseMs = 30_000, thread, waitMs = 300_000 }: FixtureLease & { waitMs?: number } = {},
  ) {
    const keys = [key, this.getQueueKey(key), this.getTimeoutKey(key)];
    const now = await this.#readTime();
    return (await this.redis.eval(FAIR_SCRIPT, 3, ...keys, this.getOwner(thread), leaseMs, now, waitMs)) as
      | number
      | null;
  }

  /** Releases a fair lock. @returns whether this client held the lock */
  async releaseFair(key: string, thread?: number): Promise<boolean> {
    const keys = [key, this.getQueueKey(key), this.getTimeoutKey(key)];
    const now = await this.#readTime();
    const words = [this.getOwner(thread), now, this.channels.lock(key)];
    return (await this.redis.eval(FAIR_UNLOCK_SCRIPT, 3, ...keys, ...words)) === 1;
  }

  async acquireRead(key: string, { leaseMs = 30_000, thread }: FixtureLease = {}) {
    const leases = addSuffix(key, `${this.getOwner(thread)}:rwlock_timeout`);
    return (await this.redis.eval(READ_SCRIPT, 2, key, leases, this.getOwner(thread), leaseMs)) as
      | number
      | null;
  }

  async acquireWrite(key: string, { leaseMs = 30_000, thread }: FixtureLease = {}) {
    return (await this.redis.eval(WRITE_SCRIPT, 1, key, this.getOwner(thread), leaseMs)) as number | null;
  }

  async acquireGroup(
    key: string,
    values: readonly string[],
    { leaseMs = 30_000, thread }: FixtureLease = {},
  ) {
    const now = await this.#readTime();
    return (await this.redis.eval(GROUP_SCRIPT, 1, key, this.getOwner(thread), now, leaseMs, ...values)) as
      | number
      | null;
  }

  /** Acquires a permit. @returns the ID of the permit */
  async acquirePermit(key: string, leaseMs?: number): Promise<string> {
    const id = Buffer.from(randomUUID().replaceAll("-", ""), "hex");
    const end = leaseMs === undefined ? 922337203685477 : (await this.#readTime()) + leaseMs;
    await this.redis.multi().decr(key).zadd(this.getPermitsKey(key), end, id).exec();
    return id.toString("hex");
  }

  readonly getQueueKey = (key: string) => addPrefix("redisson_lock_queue", key);
  readonly getTimeoutKey = (key: string) => addPrefix("redisson_lock_timeout", key);
  readonly getTokenKey = (key: string) => addPrefix("redisson_lock_token", key);
  readonly getPermitsKey = (key: string) => addSuffix(key, "timeout");
  readonly getLeaseKey = (key: string, entry: number, thread?: number) =>
    addSuffix(key, `${this.getOwner(thread)}:rwlock_timeout:${entry}`);
  readonly channels = {
    lock: (key: string) => addPrefix("redisson_lock__channel", key),
    fair: (key: string, thread?: number) =>
      `${addPrefix("redisson_lock__channel", key)}:${this.getOwner(thread)}`,
    readWrite: (key: string) => addPrefix("redisson_rwlock", key),
    semaphore: (key: string) => addPrefix("redisson_sc", key),
    latch: (key: string) => `redisson_countdownlatch__channel__{${key}}`,
  };

  async #readTime(): Promise<number> {
    const [seconds, micros] = (await this.redis.time()).map(Number);
    return (seconds ?? 0) * 1000 + Math.floor((micros ?? 0) / 1000);
  }
}
