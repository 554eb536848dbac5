import type { Redis } from "ioredis";
import { openCore } from "../core/ours.ts";
import type { Run } from "../figure.ts";

/** Pattern that all lock names in benchmarks match. */
export const WATCHED = "lock:*";
export const LEASE_MS = 600_000;
const STEP = 20_000;
const IN_FLIGHT = 64;

/** Script that creates application keys that are not locks: strings with a TTL, hashes and counters. */
const FILL = `for at = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local kind = at % 4
  if kind == 0 then redis.call('HSET', 'user:' .. at, 'name', 'someone', 'visits', at)
  elseif kind == 1 then redis.call('SET', 'cache:page:' .. at, 'some text', 'PX', 3600000)
  elseif kind == 2 then redis.call('SET', 'session:' .. at, 'some text', 'PX', 86400000)
  else redis.call('SET', 'count:' .. at, at) end
end`;

/** Script that creates locks in Redisson's format. */
const TAKE = `for at = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local key = string.format('lock:orders:%07d', at)
  redis.call('HSET', key, string.format('5f0c0c1e-0000-4000-8000-%012d:1', at), 1)
  redis.call('PEXPIRE', key, ARGV[3])
end`;

export async function fillKeyspace(inspector: Redis, keys: number): Promise<void> {
  for (let at = 1; at <= keys; at += STEP) await inspector.eval(FILL, 0, at, Math.min(keys, at + STEP - 1));
}

/**
 * Acquires `locks` locks. Half of them have Redisson's format and no companion. The others are acquired with
 * Lockkeeper's core and have companions and fencing tokens.
 */
export async function acquireLocks(run: Run, url: string, inspector: Redis, locks: number): Promise<void> {
  const foreign = Math.ceil(locks / 2);
  for (let at = 1; at <= foreign; at += STEP) {
    await inspector.eval(TAKE, 0, at, Math.min(foreign, at + STEP - 1), LEASE_MS);
  }
  const core = await openCore(url);
  run.defer(() => core.close());
  let taken = foreign;
  const work = async () => {
    while (taken < locks) {
      const at = ++taken;
      const options = { owner: `checkout@pod-${at % 40}:${at}`, leaseMs: LEASE_MS };
      await core.locks.acquire(`lock:orders:${String(at).padStart(7, "0")}`, options);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  core.close();
}
