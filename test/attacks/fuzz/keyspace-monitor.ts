import type { TestRedis } from "../../support/test-redis.ts";

/** The state of each key: the digest of its value, and its expiry time in Unix milliseconds (-1: no TTL). */
type KeyspaceSnapshot = ReadonlyMap<string, { readonly digest: string; readonly endsAt: number }>;

/**
 * Matches keys that the server may change in the background or for rejected requests, so their changes are ignored:
 *
 * - the canary, and the keys of the event recorder
 * - the audit log, which also contains rejected requests, and the login attempt counters
 * - accounts and sessions, which store when they were last used. The index of the sessions is compared.
 * - the queues of waiters, where a client whose wait timed out keeps its place for a short time in case it returns
 */
const BACKGROUND_KEYS =
  /^(lockkeeper:canary|lockkeeper:hold:\{lockkeeper\}|lockkeeper:waiters:|\{lockkeeper\}:(recorder|recorded|events|audit|tries:|account-uses|session:|evidence:))/;

/**
 * DUMP does not return the entries of large hashes and sets in a stable order, so the script sorts them. PEXPIRETIME
 * requires Redis 7.
 */
const DIGEST = `
local found = {}
local function valueOf(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'hash' then
    local fields = redis.call('HGETALL', key)
    local lines = {}
    for at = 1, #fields, 2 do lines[#lines + 1] = #fields[at] .. ':' .. fields[at] .. fields[at + 1] end
    table.sort(lines)
    return table.concat(lines, '\\n')
  elseif kind == 'set' then
    return table.concat(redis.call('SORT', key, 'ALPHA'), '\\n')
  end
  return redis.call('DUMP', key)
end
for _, key in ipairs(redis.call('KEYS', '*')) do
  found[#found + 1] = key
  found[#found + 1] = redis.sha1hex(valueOf(key) or '')
  found[#found + 1] = string.format('%.0f', redis.call('PEXPIRETIME', key))
end
return found`;

/** Compares all keys of a Redis server before and after a request. */
export class KeyspaceMonitor {
  readonly #redis: ReturnType<TestRedis["createClient"]>;

  constructor(redis: TestRedis) {
    this.#redis = redis.createClient();
  }

  async takeSnapshot(): Promise<KeyspaceSnapshot> {
    const found = (await this.#redis.callBuffer("EVAL", DIGEST, "0")) as Buffer[];
    const keyspace = new Map<string, { digest: string; endsAt: number }>();
    for (let at = 0; at < found.length; at += 3) {
      // Latin-1 keeps every byte of a key, so that different keys stay different.
      const [key = "", digest = "", endsAt] = found.slice(at, at + 3).map((each) => each.toString("latin1"));
      if (!BACKGROUND_KEYS.test(key)) keyspace.set(key, { digest, endsAt: Number(endsAt) });
    }
    return keyspace;
  }

  /** Lists the differences between two snapshots, except for keys that have expired. */
  findChanges(before: KeyspaceSnapshot, after: KeyspaceSnapshot): string[] {
    const now = Date.now();
    const changed: string[] = [];
    for (const [key, { digest, endsAt }] of after) {
      const was = before.get(key);
      if (was === undefined) changed.push(`${key} is new`);
      else if (was.digest !== digest) changed.push(`${key} has another value`);
      else if (was.endsAt !== endsAt) changed.push(`${key} ends at another time`);
    }
    for (const [key, { endsAt }] of before) {
      const hasEnded = endsAt > 0 && endsAt <= now;
      if (!after.has(key) && !hasEnded) changed.push(`${key} is gone`);
    }
    return changed;
  }
}
