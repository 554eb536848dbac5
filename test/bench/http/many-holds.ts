/**
 * Measures the cost over HTTP of renewing 1,000 holds with leases of 30 s for one minute: with `POST /holds/renew`,
 * which `@lockkeeper/client` uses, and with one request per hold.
 *
 * Usage: `node --import tsx test/bench/http/many-holds.ts`
 */
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Hold } from "../../../lib/client/hold.ts";
import { LockkeeperClient } from "../../../lib/client/lockkeeper-client.ts";
import { startApiProcess } from "../../support/api-process.ts";
import { startTestRedis } from "../../support/test-redis.ts";
import { ROOT_KEY } from "../../support/test-server.ts";

const HOLDS = 1000;
const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;
/** Clock tick of the CPU times in /proc, in ms. */
const TICK_MS = 10;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Figures {
  readonly requests: number;
  readonly scripts: number;
  readonly redisMs: number;
  readonly serverMs: number;
  readonly clientMs: number;
}

async function measure(way: "batch" | "single"): Promise<Figures> {
  const redis = await startTestRedis();
  const api = await startApiProcess({
    REDIS_URL: redis.url,
    LOCKKEEPER_ROOT_KEY: ROOT_KEY,
    LOCKKEEPER_LOG: "silent",
  });
  const direct = redis.createClient();
  let requests = 0;
  const client = new LockkeeperClient({
    url: api.url,
    apiKey: ROOT_KEY,
    fetch: (...call) => {
      requests++;
      return fetch(...call);
    },
  });
  const renewal = way === "batch" ? "automatic" : "manual";
  const holds: Hold[] = [];
  for (let n = 0; n < HOLDS; n += 50) {
    const keys = Array.from({ length: 50 }, (_, at) => `lock:bench:${n + at}`);
    holds.push(
      ...(await Promise.all(keys.map((key) => client.acquire(key, { leaseMs: LEASE_MS, renewal })))),
    );
  }
  if (way === "single") renewEach(holds);
  await sleep(LEASE_MS / 2);
  requests = 0;
  const before = await readUsage(direct, api.pid);
  await sleep(MINUTE_MS);
  const after = await readUsage(direct, api.pid);
  const figures = {
    requests,
    scripts: after.scripts - before.scripts,
    redisMs: after.redisMs - before.redisMs,
    serverMs: after.serverMs - before.serverMs,
    clientMs: after.clientMs - before.clientMs,
  };
  if (holds.some(({ state }) => state !== "held")) throw new Error(`${way}: not all holds were renewed`);
  await Promise.all([api.stop(), redis.stop()]);
  return figures;
}

/** Renews each hold with its own request whenever a third of its lease has passed. */
function renewEach(holds: readonly Hold[]): void {
  for (const [at, hold] of holds.entries()) {
    const start = () => setInterval(() => void hold.renew().catch(() => undefined), LEASE_MS / 3).unref();
    setTimeout(start, (at * LEASE_MS) / 3 / holds.length).unref();
  }
}

async function readUsage(redis: Redis, pid: number) {
  const stats = await redis.info("commandstats");
  const scripts = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
  const cpu = await redis.info("cpu");
  const seconds = [...cpu.matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)];
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const own = process.cpuUsage();
  return {
    scripts: scripts.reduce((sum, [, calls]) => sum + Number(calls), 0),
    redisMs: seconds.reduce((sum, [, each]) => sum + Number(each) * 1000, 0),
    serverMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    clientMs: (own.user + own.system) / 1000,
  };
}

for (const way of ["batch", "single"] as const) {
  const { requests, scripts, redisMs, serverMs, clientMs } = await measure(way);
  const cpu = [redisMs, serverMs, clientMs].map((ms) => `${(ms / 1000).toFixed(2)} s`);
  process.stdout.write(
    `${way}: ${requests} requests, ${scripts} scripts; CPU of Redis ${cpu[0]}, server ${cpu[1]}, client ${cpu[2]}\n`,
  );
}
process.exit();
