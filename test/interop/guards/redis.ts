import { Redis } from "ioredis";
import type { GuardedStore, GuardedWriter } from "./guard.ts";
import { readGuardFile } from "./statements.ts";

const getFenceKey = (resource: string) => `{${resource}}:fence`;
const getOrderKey = (resource: string) => `{${resource}}:written`;

/** The guard script in docs/guards. `GUARD_WITH_ORDER` also records the order of the accepted writes. */
const GUARD = readGuardFile("redis.lua");
const GUARD_WITH_ORDER = `local function guard() ${GUARD} end
local verdict = guard()
if verdict == 1 then redis.call('RPUSH', KEYS[3], ARGV[1]) end
return verdict`;

export function openRedisStore(url: string): GuardedStore {
  const redis = new Redis(url);
  return {
    ways: ["script"],
    createWriter: () => Promise.resolve(createRedisWriter(url)),
    create: () => Promise.resolve(),
    async readStored(resource) {
      const [fence, value] = await redis.mget(getFenceKey(resource), resource);
      return { fence: fence ?? "0", value: value ?? "" };
    },
    written: (resource) => redis.lrange(getOrderKey(resource), 0, -1),
    close: async () => redis.disconnect(),
  };
}

export function createRedisWriter(url: string): GuardedWriter {
  const redis = new Redis(url);
  return {
    async write(resource, fence, value) {
      const keys = [resource, getFenceKey(resource), getOrderKey(resource)];
      const verdict = await redis.eval(GUARD_WITH_ORDER, keys.length, ...keys, fence, value);
      return verdict === 1 ? "written" : "refused";
    },
    close: async () => redis.disconnect(),
  };
}
