/**
 * Simulates another client of the Redis server that sends one GET after another, with a pause of 1 ms.
 *
 * Usage: `probe.ts REDIS_URL`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openPlainConnection } from "../plain-connection.ts";
import { computePercentile } from "../statistics.ts";

export interface ProbeResult {
  readonly count: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly maxMicros: number;
}

const [redisUrl = ""] = process.argv.slice(2);
const redis = openPlainConnection(redisUrl);
let micros: number[] = [];
let isAsking = false;

async function pingRedis(): Promise<void> {
  while (isAsking) {
    const startedAt = performance.now();
    await redis.get("count:3");
    micros.push((performance.now() - startedAt) * 1000);
    await sleep(1);
  }
}

function buildResult(): ProbeResult {
  return {
    count: micros.length,
    p50Micros: computePercentile(micros, 0.5),
    p99Micros: computePercentile(micros, 0.99),
    maxMicros: computePercentile(micros, 1),
  };
}

process.on("message", (words) => {
  isAsking = words === "begin";
  if (isAsking) {
    micros = [];
    void pingRedis();
    process.send?.("begun");
  } else process.send?.(buildResult());
});
process.on("disconnect", () => process.exit(0));
for (let warm = 0; warm < 500; warm++) await redis.get("count:3");
process.send?.("ready");
