import type { Redis } from "ioredis";

/** A connection that runs every script with some Lua before it: what a test cannot bring about from outside. */
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
 * Redis refuses a script's nth write, counted from 0, as it would for a user who may not send that command. From version
 * 7.0, which has REDIS_VERSION_NUM, it raises a table, before a string.
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

/** The lock's time to live ends while the script runs: for Redis the key is still there, with nothing left. */
export const EXPIRE_DURING_SCRIPT = `
  redis.call('PEXPIRE', KEYS[1], 3)
  local began = redis.call('TIME')
  repeat
    local at = redis.call('TIME')
  until (at[1] - began[1]) * 1000000 + at[2] - began[2] > 8000`;
