import type { Redis } from "ioredis";
import type { WritableKind } from "../../../lib/contract/format.ts";
import type { Facts, Line, Run } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { countCallsBetween, readCalls, readRedisCpuMicros } from "../info.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import type { KindsContender, PairsPlan } from "./contender.ts";

interface PairsRound {
  readonly perSecond: number;
  /** Redis commands per pair, including those in scripts. The script calls themselves are not counted. */
  readonly commands: number;
  readonly redisMicros: number;
  readonly clientMicros: number;
}

/** Number of concurrent pairs, of lock names, and of permits of each semaphore. */
export interface PairsLoad {
  readonly inFlight: number;
  readonly names: number;
  readonly limit: number;
}

export async function measurePairs(
  run: Run,
  redis: Redis,
  contenders: readonly KindsContender[],
  kind: WritableKind,
  load: PairsLoad,
) {
  const failed: Record<string, string> = {};
  const forMs = { quick: 100, full: 600 }[run.effort];
  const plan = ({ name }: KindsContender) => ({ kind, prefix: `lock:bench:${kind}:${name}`, forMs, ...load });
  const rounds = await interleave({
    contenders,
    rounds: { quick: 1, full: 7 }[run.effort],
    warmUp: (contender) => measureRound(contender, redis, plan(contender)),
    measure: (contender) => measureRound(contender, redis, plan(contender)),
    onProgress: (line) => reportProgress(`${kind}, ${load.inFlight} in flight: ${line}`),
    failed,
  });
  return { rounds, conditions: describe(rounds, { failed, forMs, ...load }) };
}

export type MeasuredPairs = Awaited<ReturnType<typeof measurePairs>>;

/** Creates the line of one figure from the measured pairs. */
export function createPairsLine(
  figure: string,
  unit: string,
  { rounds, conditions }: MeasuredPairs,
  of: (round: PairsRound) => number,
): Line {
  const { ours, vs, theirs } = compareMedians(rounds, of);
  return { figure, unit, ours, vs, conditions: { theirs, ...conditions } };
}

async function measureRound(contender: KindsContender, redis: Redis, plan: PairsPlan): Promise<PairsRound> {
  // Removes the keys of earlier rounds, which would affect this one.
  await redis.flushdb();
  await contender.prepare(plan);
  const [calls, micros] = [await readCalls(redis), await readRedisCpuMicros(redis)];
  const { pairs, ms, cpuMicros } = await contender.runPairs(plan);
  const spentMicros = (await readRedisCpuMicros(redis)) - micros;
  const made = countCallsBetween(calls, await readCalls(redis));
  for (const call of ["eval", "evalsha"]) made.delete(call);
  return {
    perSecond: (pairs / ms) * 1000,
    commands: [...made.values()].reduce((sum, count) => sum + count, 0) / pairs,
    redisMicros: spentMicros / pairs,
    clientMicros: cpuMicros / pairs,
  };
}

function describe(rounds: Rounds<PairsRound>, facts: Facts): Facts {
  return {
    ...facts,
    rounds: rounds.get("ours")?.length,
    commandsPerPair: computeMedians(rounds, ({ commands }) => commands),
    redisCpuMicrosPerPair: computeMedians(rounds, ({ redisMicros }) => redisMicros),
    clientCpuMicrosPerPair: computeMedians(rounds, ({ clientMicros }) => clientMicros),
    slowestRoundPerSecond: Object.fromEntries(
      [...rounds].map(([name, all]) => [name, roundValue(Math.min(...all.map((round) => round.perSecond)))]),
    ),
    method:
      "INFO commandstats, including commands inside scripts, without the calls of scripts. CPU time of Redis's main thread",
  };
}
