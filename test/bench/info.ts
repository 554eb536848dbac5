import type { Redis } from "ioredis";

/** Reads one section of the reply to INFO, as values by field name. */
export async function readInfo(redis: Redis, section: string): Promise<Record<string, string>> {
  const text = await redis.info(section);
  const lines = text.split("\r\n").filter((line) => line.includes(":"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
  );
}

/** Reads how often each command was called since the statistics were reset, including calls by scripts. */
export async function readCalls(redis: Redis): Promise<Map<string, number>> {
  const stats = await readInfo(redis, "commandstats");
  return new Map(
    Object.entries(stats).map(([name, text]) => [
      name.replace(/^cmdstat_/, ""),
      Number(/calls=(\d+)/.exec(text)?.[1] ?? 0),
    ]),
  );
}

/** Counts the calls of each command between two readings, except for INFO, which the benchmark itself calls. */
export function countCallsBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const calls = new Map<string, number>();
  for (const [name, total] of after) {
    const count = total - (before.get(name) ?? 0);
    if (count > 0 && name !== "info") calls.set(name, count);
  }
  return calls;
}

/**
 * Reads the CPU time of Redis's main thread, in µs. Redis versions that do not report it return the time of all
 * threads.
 */
export async function readRedisCpuMicros(redis: Redis): Promise<number> {
  const info = await readInfo(redis, "cpu");
  const user = info.used_cpu_user_main_thread ?? info.used_cpu_user;
  const sys = info.used_cpu_sys_main_thread ?? info.used_cpu_sys;
  return (Number(user) + Number(sys)) * 1e6;
}
