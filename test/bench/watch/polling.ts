import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Facts, type Line, type Run, roundValue } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readMachineFacts } from "../machine.ts";
import type { ProbeResult } from "../processes/probe.ts";
import { reportProgress } from "../progress.ts";
import { startRedis } from "../servers.ts";
import { computePercentile } from "../statistics.ts";
import { type EventReader, openEventReader } from "./event-reader.ts";
import { fillKeyspace } from "./keyspace.ts";

const SIZES = { "1k": 1000, "10k": 10_000 } as const;
type Size = keyof typeof SIZES;
const ENDS = { "1k": "watch.polling.ends.1k", "10k": "watch.polling.ends.10k" } as const;
const STARTS = { "1k": "watch.polling.new.1k", "10k": "watch.polling.new.10k" } as const;

const STEP = 20_000;
const LEASE_MS = 7_200_000;
/** The number of keys of each kind, and the amount of measurement. */
interface Scale {
  readonly locks: number;
  readonly lookalikes: number;
  readonly others: number;
  readonly samples: number;
  readonly spreadMs: number;
  readonly idleMs: number;
}
const FULL = { lookalikes: 90_000, others: 900_000, samples: 120, spreadMs: 30_000, idleMs: 10_000 };
const QUICK = { lookalikes: 500, others: 2000, samples: 20, spreadMs: 1000, idleMs: 1000 };
/** Maximum time in ms without a new event. Detecting a new lock among a million keys has taken up to two minutes. */
const LOST_MS = 300_000;
const LIVE_CHECK_MS = 100;

/** Script that creates keys that match the watched pattern but are not locks. */
const FILL_LOOKALIKES = `for at = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  redis.call('HSET', 'lock:settings:' .. at, 'name', 'someone', 'visits', at)
end`;

/** Script that creates locks in Redisson's format. */
const FILL_LOCKS = `for at = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local key = 'lock:orders:' .. at
  redis.call('HSET', key, string.format('5f0c0c1e-0000-4000-8000-%012d:1', at), 1)
  redis.call('PEXPIRE', key, ARGV[3])
end`;

/** Time from a change of a foreign lock to its event without keyspace notifications, and the cost of polling. */
export const polling: Experiment = {
  figures: [...Object.values(ENDS), ...Object.values(STARTS)],
  isOnDemand: true,
  async measure(run) {
    for (const size of ["1k", "10k"] as const) {
      await run.part([ENDS[size], STARTS[size]], () => measureSize(run, size));
    }
    return [];
  },
};

async function measureSize(run: Run, size: Size): Promise<readonly Line[]> {
  const isQuick = run.effort === "quick";
  const scale: Scale = { ...(isQuick ? QUICK : FULL), locks: isQuick ? 50 : SIZES[size] };
  const { url, inspector } = await startRedis(run, "");
  reportProgress(`${scale.others + scale.lookalikes + scale.locks} keys, ${scale.locks} of them locks`);
  await fillKeyspace(inspector, scale.others);
  await fillInSteps(inspector, FILL_LOOKALIKES, scale.lookalikes);
  await fillInSteps(inspector, FILL_LOCKS, scale.locks);
  const probe = await startChild(run, "probe.ts", [url]);
  const quiet = await measureProbed(probe, () => sleep(scale.idleMs));
  const server = await startWithoutPages(run, {
    REDIS_URL: url,
    LOCKKEEPER_WATCH: "lock:*",
    LOCKKEEPER_NOTIFICATIONS: "off",
  });
  const reader = await openEventReader(run, server);
  while ((await readTarget(server))?.state !== "live") await sleep(LIVE_CHECK_MS);
  await sleep(scale.idleMs);
  reportProgress("nothing changes");
  const idle = await measureLoad(server, inspector, probe, scale.idleMs);
  reportProgress(`${scale.samples} locks end, and as many begin`);
  const ends = await measureEnds(inspector, reader, scale);
  const starts = await measureStarts(inspector, reader, scale);
  const conditions = {
    ...(await readMachineFacts(inspector, run.effort)),
    ...{ scale, quiet, idle, reported: (await readTarget(server))?.polling ?? null },
    method:
      "Time from a change of a foreign lock to its event at GET /events, without keyspace notifications. Lower is better",
  };
  return [buildLine(ENDS[size], ends, conditions), buildLine(STARTS[size], starts, conditions)];
}

function buildLine(figure: string, delaysMs: readonly number[], conditions: Facts): Line {
  const values = {
    samples: delaysMs.length,
    p50Ms: roundValue(computePercentile(delaysMs, 0.5)),
    maxMs: roundValue(Math.max(...delaysMs)),
  };
  const ours = roundValue(computePercentile(delaysMs, 0.99));
  return { figure, unit: "ms", ours, vs: {}, conditions: { ...values, ...conditions } };
}

async function fillInSteps(redis: Redis, script: string, count: number): Promise<void> {
  for (let at = 1; at <= count; at += STEP) {
    await redis.eval(script, 0, at, Math.min(count, at + STEP - 1), LEASE_MS);
  }
}

async function measureProbed(probe: ChildProcess, work: () => Promise<unknown>): Promise<ProbeResult> {
  await sendRequest(probe, "begin");
  await work();
  return await sendRequest<ProbeResult>(probe, "end");
}

async function measureLoad(server: NodeContender, redis: Redis, probe: ChildProcess, spanMs: number) {
  const [redisBefore, serverBefore] = [await readRedisCpuMs(redis), await server.cpuMicros()];
  const startedAt = performance.now();
  await sleep(spanMs);
  const tookMs = performance.now() - startedAt;
  const redisCpuShare = roundValue(((await readRedisCpuMs(redis)) - redisBefore) / tookMs);
  const serverCpuShare = roundValue(((await server.cpuMicros()) - serverBefore) / 1000 / tookMs);
  return {
    ...{ redisCpuShare, serverCpuShare },
    probe: await measureProbed(probe, () => sleep(spanMs)),
  };
}

async function readRedisCpuMs(redis: Redis): Promise<number> {
  const info = await redis.info("cpu");
  const read = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, "m").exec(info)?.[1]);
  return 1000 * (read("used_cpu_user") + read("used_cpu_sys"));
}

async function measureEnds(redis: Redis, reader: EventReader, scale: Scale): Promise<number[]> {
  const changedAt = await changeSpread(scale, "lock:orders:", async (key) => await redis.del(key));
  return await collectDelays(reader, "released", changedAt);
}

async function measureStarts(redis: Redis, reader: EventReader, scale: Scale): Promise<number[]> {
  const changedAt = await changeSpread(scale, "lock:new:", async (key) => {
    await redis.hset(key, "5f0c0c1e-0000-4000-8000-000000000000:1", 1);
    await redis.pexpire(key, LEASE_MS);
  });
  return await collectDelays(reader, "acquired", changedAt);
}

/**
 * Changes keys one after the other, spread over a period.
 *
 * @returns the time of each change in Unix milliseconds, by key
 */
async function changeSpread(
  { samples, spreadMs, locks }: Scale,
  prefix: string,
  change: (key: string) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const changedAt = new Map<string, number>();
  const step = Math.floor(locks / samples) || 1;
  for (let sample = 1; sample <= samples; sample++) {
    const key = `${prefix}${sample * step}`;
    await change(key);
    changedAt.set(key, Date.now());
    await sleep((Math.random() * 2 * spreadMs) / samples);
  }
  return changedAt;
}

async function collectDelays(
  reader: EventReader,
  type: string,
  changedAt: ReadonlyMap<string, number>,
): Promise<number[]> {
  await reader.waitForKeys(type, changedAt.size, LOST_MS);
  const times = reader.getTimes(type);
  return [...changedAt].map(([key, at]) => (times.get(key) ?? Number.NaN) - at);
}

interface ReportedTarget {
  readonly state: string;
  /** The polling delays that the health of the target includes. */
  readonly polling?: unknown;
}

async function readTarget({ target: { port, secret } }: NodeContender): Promise<ReportedTarget | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/targets`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const { items } = (await response.json()) as { items?: readonly ReportedTarget[] };
  return items?.[0];
}
