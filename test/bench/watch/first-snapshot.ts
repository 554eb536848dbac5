import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { sendRequest, startChild } from "../child.ts";
import type { Experiment } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import type { ProbeResult } from "../processes/probe.ts";
import type { WatcherRequest, WatcherResponse } from "../processes/watcher.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave } from "../rounds.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { acquireLocks, fillKeyspace, WATCHED } from "./keyspace.ts";
import { measureRedisShare, type RedisShare } from "./redis-share.ts";

const DISCOVER = "watch.discover";
const PROBE = "watch.probe.p99";
const SCAN_COUNT = 1000;

interface Round {
  readonly ms: number;
  readonly probe: ProbeResult;
  readonly redis: RedisShare;
}

interface ScanVariant {
  readonly name: "ours" | "scan" | "quiet";
  /** Scans the keyspace once and returns the duration in ms. */
  scan(): Promise<number>;
}

/**
 * Duration of the first snapshot of a target compared with a plain SCAN loop, and the latency of another client in the
 * meantime.
 */
export const firstSnapshot: Experiment = {
  figures: [DISCOVER, PROBE],
  async measure(run) {
    const quick = run.effort === "quick";
    const [keys, locks, rounds] = quick ? [50_000, 500, 3] : [1_000_000, 10_000, 9];
    const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
    reportProgress(`${keys} keys, ${locks} of them locks`);
    await fillKeyspace(inspector, keys - locks);
    await acquireLocks(run, url, inspector, locks);
    const probe = await startChild(run, "probe.ts", [url]);
    const watcher = await startChild(run, "watcher.ts", [url, WATCHED]);
    const walks: ScanVariant[] = [
      { name: "ours", scan: () => measureScan(watcher, { do: "snapshot" }, locks) },
      { name: "scan", scan: () => measureScan(watcher, { do: "scan", count: SCAN_COUNT }, locks) },
      { name: "quiet", scan: () => sleep(quick ? 200 : 1000, 1) },
    ];
    const measure = ({ scan: walk }: ScanVariant) => measureProbed(inspector, probe, walk);
    for (const walk of walks) await measure(walk);
    const results = await interleave({ contenders: walks, rounds, measure, onProgress: reportProgress });
    const took = compareMedians(results, ({ ms }) => ms);
    const felt = compareMedians(results, ({ probe: { p99Micros } }) => p99Micros);
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      ...{ keys, locks, rounds, watch: [WATCHED], scanCount: SCAN_COUNT },
    };
    return [
      {
        ...{ figure: DISCOVER, unit: "ms", ours: took.ours, vs: pickValue("scan", took.vs) },
        conditions: {
          theirs: pickValue("scan", took.theirs),
          method:
            "Time from the start of a watcher with open connections to its first complete snapshot. scan: a complete SCAN MATCH COUNT loop that reads no keys. Watcher, Redis and the probing client share the machine. Lower is better",
          ...conditions,
        },
      },
      {
        ...{ figure: PROBE, unit: "µs", ours: felt.ours, vs: felt.vs },
        conditions: {
          theirs: felt.theirs,
          p50Micros: computeMedians(results, (round) => round.probe.p50Micros),
          maxMicros: computeMedians(results, (round) => round.probe.maxMicros),
          redisCpuMs: computeMedians(results, (round) => round.redis.cpuMs),
          redisScanP99Micros: computeMedians(results, (round) => round.redis.p99Micros.scan ?? Number.NaN),
          redisScriptP99Micros: computeMedians(
            results,
            (round) => round.redis.p99Micros.evalsha ?? Number.NaN,
          ),
          probes: computeMedians(results, (round) => round.probe.count),
          method:
            "Latency of consecutive GETs, one millisecond apart, from another process during the first snapshot. scan: during the bare loop. quiet: without either. Lower is better",
          ...conditions,
        },
      },
    ];
  },
};

async function measureScan(watcher: ChildProcess, words: WatcherRequest, expected: number): Promise<number> {
  const { ms, locks } = await sendRequest<WatcherResponse>(watcher, words);
  if (locks !== expected) throw new Error(`${words.do} found ${locks} locks of ${expected}`);
  return ms;
}

async function measureProbed(
  inspector: Redis,
  probe: ChildProcess,
  walk: () => Promise<number>,
): Promise<Round> {
  const { result, redis } = await measureRedisShare(inspector, async () => {
    await sendRequest(probe, "begin");
    const ms = await walk();
    return { ms, probe: await sendRequest<ProbeResult>(probe, "end") };
  });
  return { ...result, redis };
}

function pickValue(name: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return { [name]: values[name] ?? Number.NaN };
}
