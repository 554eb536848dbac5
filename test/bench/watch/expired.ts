import type { Redis } from "ioredis";
import { type Core, openCore } from "../core/ours.ts";
import { type Experiment, type Run, roundValue } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { computePercentile } from "../statistics.ts";
import { openEventReader } from "./event-reader.ts";

const FIGURE = "watch.expired.p99";
const FILL_STEP = 20_000;
const FILL = `for at = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  redis.call('SET', 'session:' .. at, 'some text', 'PX', 1800000 + at)
end`;
const LOST_MS = 30_000;

/**
 * Time from the deadline of a lock that is not renewed until its `expired` event arrives at a reader of the event
 * stream.
 */
export const expired: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const quick = run.effort === "quick";
    const [others, locks] = quick ? [20_000, 100] : [400_000, 1000];
    const spread = quick ? { beginMs: 1000, spreadMs: 500 } : { beginMs: 8000, spreadMs: 10_000 };
    const server = await startWithoutPages(run);
    reportProgress(`${others} keys with a time to live`);
    for (let at = 1; at <= others; at += FILL_STEP) {
      await server.inspector.eval(FILL, 0, at, Math.min(others, at + FILL_STEP - 1));
    }
    const reader = await openEventReader(run, server);
    const deadlines = await acquireLocks(run, server, locks, spread);
    reportProgress(`${locks} locks are left to expire`);
    await reader.waitForKeys("expired", locks, LOST_MS);
    const late = [...reader.getTimes("expired")].map(([key, at]) => at - (deadlines.get(key) ?? Number.NaN));
    const conditions = {
      ...(await readMachineFacts(server.inspector, run.effort)),
      ...{ locks, otherKeys: others, spreadMs: spread.spreadMs },
      p50Ms: roundValue(computePercentile(late, 0.5)),
      maxMs: roundValue(Math.max(...late)),
      method:
        "Time from the end of a lease to the arrival of its event at GET /events. Redis and the reader share a clock. Half of the locks are acquired with Lockkeeper, half are foreign tokens in strings. Lower is better",
    };
    return [
      { figure: FIGURE, unit: "ms", ours: roundValue(computePercentile(late, 0.99)), vs: {}, conditions },
    ];
  },
};

/**
 * Acquires locks whose leases end one after the other.
 *
 * @returns the end of each lease in Unix milliseconds of the Redis clock, by key
 */
async function acquireLocks(
  run: Run,
  { redisUrl, inspector }: NodeContender,
  locks: number,
  { beginMs, spreadMs }: { readonly beginMs: number; readonly spreadMs: number },
): Promise<ReadonlyMap<string, number>> {
  const core = await openCore(redisUrl);
  run.defer(() => core.close());
  const [seconds, micros] = await inspector.time();
  const begin = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) + beginMs;
  const deadlines = new Map<string, number>();
  for (let at = 0; at < locks; at++) {
    const key = `lock:left:${at}`;
    const end = begin + Math.floor((at * spreadMs) / locks);
    deadlines.set(
      key,
      at % 2 === 0 ? await acquireOurs(core, key, end) : await acquireTheirs(inspector, key, end),
    );
  }
  return deadlines;
}

async function acquireOurs({ locks }: Core, key: string, end: number): Promise<number> {
  const leaseMs = end - Date.now();
  const { grant } = await locks.acquire(key, { owner: "me", leaseMs });
  return grant.asOf + grant.remainingMs;
}

async function acquireTheirs(inspector: Redis, key: string, end: number): Promise<number> {
  await inspector.set(key, "c5b7e1f04d2a49d6b3a7", "PXAT", end);
  return end;
}
