import type { TestRedis } from "../../support/test-redis.ts";

/** A key's value, digested, and when it ends (-1: never). */
type KeyspaceSnapshot = ReadonlyMap<string, { readonly digest: string; readonly endsAt: number }>;

/**
 * What the server does by itself, whoever asks for what: its canary, who records, what was recorded. The audit is told
 * of refused requests, too; tries to log in are counted, and when a key or a session was last used (which sessions there
 * are is in an index, which is looked at); and who has waited in vain keeps its place for a moment, should it ask again.
 */
const BACKGROUND_KEYS =
  /^(lockkeeper:canary|lockkeeper:hold:\{lockkeeper\}|lockkeeper:waiters:|\{lockkeeper\}:(recorder|recorded|events|audit|tries:|account-uses|session:|evidence:))/;

/** A large hash or set is dumped in whatever order it has just now. PEXPIRETIME is of Redis 7. */
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

/** Looks at all of a Redis, so that it can be told what a request has changed. */
export class KeyspaceMonitor {
  readonly #redis: ReturnType<TestRedis["createClient"]>;

  constructor(redis: TestRedis) {
    this.#redis = redis.createClient();
  }

  async takeSnapshot(): Promise<KeyspaceSnapshot> {
    const found = (await this.#redis.callBuffer("EVAL", DIGEST, "0")) as Buffer[];
    const keyspace = new Map<string, { digest: string; endsAt: number }>();
    for (let at = 0; at < found.length; at += 3) {
      // Keys are bytes, and two of them may look the same as text.
      const [key = "", digest = "", endsAt] = found.slice(at, at + 3).map((each) => each.toString("latin1"));
      if (!BACKGROUND_KEYS.test(key)) keyspace.set(key, { digest, endsAt: Number(endsAt) });
    }
    return keyspace;
  }

  /** @returns what has changed that time alone does not change */
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
