import type { Redis } from "ioredis";

/** Returns the value of a field in the reply to INFO or CLUSTER INFO, or `undefined` if the field is missing. */
export function readInfoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

/** Returns the run id of a server, or `undefined` if INFO fails, for example because the user has no permission. */
export async function fetchRunId(redis: Redis): Promise<string | undefined> {
  const info = await redis.info("server").catch(() => "");
  return readInfoField(info, "run_id");
}
