import type { Redis } from "ioredis";

/** What INFO, or CLUSTER INFO, says under a name; undefined where it says nothing of it. */
export function readInfoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

/** Names one run of a server; undefined: it does not tell this user, or does not answer. */
export async function fetchRunId(redis: Redis): Promise<string | undefined> {
  const info = await redis.info("server").catch(() => "");
  return readInfoField(info, "run_id");
}
