import type { Redis } from "ioredis";
import type { Experiment, Facts, Line } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { countCallsBetween, readCalls, readRedisCpuMicros } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import { startRedis } from "../servers.ts";
import {
  type ContendedContender,
  type ContendedPlan,
  openContendedContenders,
  PROCESSES,
  WORKERS,
} from "./contenders.ts";
import { type ContendedSummary, summarizeHolds } from "./summary.ts";

const FIGURES = [
  "core.contended.grants",
  "core.contended.handovers",
  "core.contended.p99",
  "core.contended.commands",
] as const;
const WORK_MS = 1;

interface ContendedRound extends ContendedSummary {
  /** Redis commands per grant, including those in scripts. */
  readonly commands: number;
  readonly redisMicros: number;
}

/** Throughput and fairness when 100 workers in 4 processes contend for one lock. */
export const contended: Experiment = {
  figures: FIGURES,
  async measure(run) {
    const { url, inspector } = await startRedis(run, "");
    const { all, settings, leftOut } = await openContendedContenders(run, url);
    const forMs = { quick: 300, full: 4000 }[run.effort];
    const failed: Record<string, string> = {};
    let measured = 0;
    const plan = (ms: number) => ({ key: `lock:bench:hot:${measured++}`, forMs: ms, workMs: WORK_MS });
    const rounds = await interleave({
      contenders: all,
      rounds: { quick: 1, full: 3 }[run.effort],
      warmUp: (contender) => contender.contend(plan(forMs / 10)),
      measure: (contender) => measureRound(contender, inspector, plan(forMs)),
      onProgress: reportProgress,
      failed,
    });
    const machine = await readMachineFacts(inspector, run.effort);
    const conditions = { ...machine, failed, leftOut, ...describe(rounds, forMs), ...settings };
    return createLines(rounds, conditions);
  },
};

async function measureRound(
  contender: ContendedContender,
  redis: Redis,
  plan: ContendedPlan,
): Promise<ContendedRound> {
  const [calls, micros] = [await readCalls(redis), await readRedisCpuMicros(redis)];
  const holds = await contender.contend(plan);
  const spentMicros = (await readRedisCpuMicros(redis)) - micros;
  const made = [...countCallsBetween(calls, await readCalls(redis)).values()];
  const summary = summarizeHolds(holds, plan.forMs);
  if (summary.overlaps > 0) throw new Error(`${summary.overlaps} holds overlapped another one`);
  const commands = made.reduce((sum, count) => sum + count, 0) / summary.grants;
  return { ...summary, commands, redisMicros: spentMicros / summary.grants };
}

function createLines(rounds: Rounds<ContendedRound>, conditions: Facts): Line[] {
  const create = (figure: string, unit: string, of: (round: ContendedRound) => number): Line => {
    const { ours, vs, theirs } = compareMedians(rounds, of);
    return { figure, unit, ours, vs, conditions: { theirs, ...conditions } };
  };
  return [
    create("core.contended.grants", "grants/s", ({ grantsPerSecond }) => grantsPerSecond),
    create("core.contended.handovers", "hand-overs/s", ({ handOversPerSecond }) => handOversPerSecond),
    create("core.contended.p99", "fair shares", ({ p99WaitMs, fairShareMs }) => p99WaitMs / fairShareMs),
    create("core.contended.commands", "commands/grant", ({ commands }) => commands),
  ];
}

function describe(rounds: Rounds<ContendedRound>, forMs: number): Facts {
  const median = (of: (round: ContendedRound) => number) => computeMedians(rounds, of);
  const worst = (of: (round: ContendedRound) => number) =>
    Object.fromEntries([...rounds].map(([name, all]) => [name, roundValue(Math.max(...all.map(of)))]));
  return {
    workers: WORKERS,
    processes: PROCESSES,
    workMs: WORK_MS,
    forMs,
    rounds: rounds.get("ours")?.length,
    p50WaitMs: median(({ p50WaitMs }) => p50WaitMs),
    p99WaitMs: median(({ p99WaitMs }) => p99WaitMs),
    largestByMedianWait: median(({ largestWaitMs, p50WaitMs }) => largestWaitMs / p50WaitMs),
    largestByFairShare: median(({ largestWaitMs, fairShareMs }) => largestWaitMs / fairShareMs),
    starvedInWorstRound: worst(({ starved }) => starved),
    overlaps: worst(({ overlaps }) => overlaps),
    redisCpuMicrosPerGrant: median(({ redisMicros }) => redisMicros),
    method:
      "Each worker acquires again immediately. Commands: INFO commandstats, calls of scripts and the commands inside them. Fair share: workers ÷ grants per second",
  };
}
