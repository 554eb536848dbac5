import type { Redis } from "ioredis";

/**
 * Returns a connection that runs Lua code before every script, for conditions that a test cannot cause from outside.
 */
export function prependLua(redis: Redis, prelude: () => string): Redis {
  const run = async (source: string, ...rest: [number, ...(string | Buffer | number)[]]) =>
    await redis.eval(
      `${prelude()
        .trim()
        .replaceAll(/\s*\n\s*/g, " ")} ${source}`,
      ...rest,
    );
  const noScript = () => Promise.reject(new Error("NOSCRIPT No matching script. Please use EVAL."));
  return new Proxy(redis, {
    get(target, name) {
      if (name === "evalsha") return noScript;
      if (name === "eval") return run;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/**
 * Returns Lua code that makes the nth write of a script fail, counted from 0, as for a user without permission for the
 * command. The error is a table since Redis 7.0, which defines REDIS_VERSION_NUM, and a string in earlier versions.
 */
export const createWriteRefusal = (n: number): string => `
  local server, left, writes = redis, ${n}, {}
  for name in string.gmatch('SET HSET HDEL HINCRBY DEL PEXPIRE PEXPIREAT ZADD ZREM ZREMRANGEBYSCORE', '%u+') do
    writes[name] = true
  end
  local function is_refused(name)
    if not writes[name] then return false end
    left = left - 1
    return left == -1
  end
  local refusal = { err = 'ERR this write is refused' }
  local raised = server.REDIS_VERSION_NUM and refusal or refusal.err
  local redis = {
    call = function(name, ...)
      if is_refused(name) then error(raised) end
      return server.call(name, ...)
    end,
    pcall = function(name, ...)
      if is_refused(name) then return refusal end
      return server.pcall(name, ...)
    end,
  }`;

/**
 * Lua code that lets the lock's TTL pass while the script runs. Redis does not remove the key during the script and
 * returns a remaining time of 0.
 */
export const EXPIRE_DURING_SCRIPT = `
  redis.call('PEXPIRE', KEYS[1], 3)
  local began = redis.call('TIME')
  repeat
    local at = redis.call('TIME')
  until (at[1] - began[1]) * 1000000 + at[2] - began[2] > 8000`;
