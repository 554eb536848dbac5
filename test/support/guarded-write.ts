import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";

/** The guard that the documentation recommends for resources protected with fencing tokens. */
const GUARD_SCRIPT = readFileSync(new URL("../../docs/guards/redis.lua", import.meta.url), "utf8");

/** Writes to a resource that rejects fencing tokens lower than the highest token so far. */
export async function writeGuarded(
  redis: Redis,
  resource: string,
  fence: string,
  value: string | number,
): Promise<"written" | "refused"> {
  const verdict = await redis.eval(GUARD_SCRIPT, 2, resource, `{${resource}}:fence`, fence, value);
  return verdict === 1 ? "written" : "refused";
}
