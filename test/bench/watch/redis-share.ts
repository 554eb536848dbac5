import type { Redis } from "ioredis";
import { readInfo, readRedisCpuMicros } from "../info.ts";

/** The load on Redis while some work was done. */
export interface RedisShare {
  readonly cpuMs: number;
  /** p99 of the execution time of each command in µs, by command. Empty before Redis 7.0. */
  readonly p99Micros: Readonly<Record<string, number>>;
}

const COMMANDS = ["scan", "evalsha"];

/** Does some work and measures how much CPU time Redis used for it. Resets the statistics of Redis. */
export async function measureRedisShare<Result>(
  redis: Redis,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly redis: RedisShare }> {
  await redis.config("RESETSTAT");
  const before = await readRedisCpuMicros(redis);
  const result = await work();
  const cpuMs = ((await readRedisCpuMicros(redis)) - before) / 1000;
  const stats = await readInfo(redis, "latencystats");
  const p99Micros = Object.fromEntries(
    COMMANDS.flatMap((command) => {
      const found = /\bp99=([\d.]+)/.exec(stats[`latency_percentiles_usec_${command}`] ?? "");
      return found === null ? [] : [[command, Number(found[1])]];
    }),
  );
  return { result, redis: { cpuMs, p99Micros } };
}
