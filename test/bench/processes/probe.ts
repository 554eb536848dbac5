/** Another client of the same Redis: one GET after the other, a millisecond between them. `probe.ts REDIS_URL` */
import { setTimeout as sleep } from "node:timers/promises";
import { plainConnection } from "../plain-connection.ts";
import { percentile } from "../statistics.ts";

export interface ProbeSays {
  readonly count: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly maxMicros: number;
}

const [redisUrl = ""] = process.argv.slice(2);
const redis = plainConnection(redisUrl);
let micros: number[] = [];
let isAsking = false;

async function ask(): Promise<void> {
  while (isAsking) {
    const startedAt = performance.now();
    await redis.get("count:3");
    micros.push((performance.now() - startedAt) * 1000);
    await sleep(1);
  }
}

function said(): ProbeSays {
  return {
    count: micros.length,
    p50Micros: percentile(micros, 0.5),
    p99Micros: percentile(micros, 0.99),
    maxMicros: percentile(micros, 1),
  };
}

process.on("message", (words) => {
  isAsking = words === "begin";
  if (isAsking) {
    micros = [];
    void ask();
    process.send?.("begun");
  } else process.send?.(said());
});
process.on("disconnect", () => process.exit(0));
for (let warm = 0; warm < 500; warm++) await redis.get("count:3");
process.send?.("ready");
