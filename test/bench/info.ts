import type { Redis } from "ioredis";

/** One section of INFO. */
export async function readInfo(redis: Redis, section: string): Promise<Record<string, string>> {
  const text = await redis.info(section);
  const lines = text.split("\r\n").filter((line) => line.includes(":"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
  );
}

/** Calls of each command since the server started, also of those that scripts made. */
export async function readCalls(redis: Redis): Promise<Map<string, number>> {
  const stats = await readInfo(redis, "commandstats");
  return new Map(
    Object.entries(stats).map(([name, text]) => [
      name.replace(/^cmdstat_/, ""),
      Number(/calls=(\d+)/.exec(text)?.[1] ?? 0),
    ]),
  );
}

/** What was called in between, without what looking at it calls. */
export function countCallsBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const calls = new Map<string, number>();
  for (const [name, total] of after) {
    const count = total - (before.get(name) ?? 0);
    if (count > 0 && name !== "info") calls.set(name, count);
  }
  return calls;
}

/** CPU time that Redis's main thread has used, in µs. */
export async function readRedisCpuMicros(redis: Redis): Promise<number> {
  const info = await readInfo(redis, "cpu");
  const user = info.used_cpu_user_main_thread ?? info.used_cpu_user;
  const sys = info.used_cpu_sys_main_thread ?? info.used_cpu_sys;
  return (Number(user) + Number(sys)) * 1e6;
}
