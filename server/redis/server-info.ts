import type { Redis } from "ioredis";

/** Returns a field of INFO or CLUSTER INFO; `undefined` if it is missing. */
export function readInfoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

/** Returns the run id of a server; `undefined` if the user may not read it or the server does not reply. */
export async function fetchRunId(redis: Redis): Promise<string | undefined> {
  const info = await redis.info("server").catch(() => "");
  return readInfoField(info, "run_id");
}
