import type { Redis } from "ioredis";
import type { Contender } from "../contender.ts";
import type { Facts, Line } from "../figure.ts";
import { readRedisCpuMicros } from "../info.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave } from "../rounds.ts";

export interface PairsPlan {
  readonly rounds: number;
  readonly pairs: number;
  readonly inFlight: number;
}

/**
 * Number of names, used in turn: no two simultaneous pairs use the same key, and locks are reused as in applications.
 */
const NAMES = 4096;

interface PairsRound {
  readonly perSecond: number;
  /** CPU time per pair in µs, of this process and of Redis's main thread. */
  readonly nodeMicros: number;
  readonly redisMicros: number;
}

/** Measures acquire and release pairs per second of each contender, and the CPU time of a pair on both sides. */
export async function measurePairs(
  figure: string,
  contenders: readonly Contender[],
  look: Redis,
  plan: PairsPlan,
): Promise<Omit<Line, "conditions"> & { conditions: Facts }> {
  const failed: Record<string, string> = {};
  let measured = 0;
  const rounds = await interleave({
    contenders,
    rounds: plan.rounds,
    warmUp: (contender) => runPairs(contender, plan, "warm"),
    measure: (contender) => measureRound(contender, look, plan, measured++),
    onProgress: reportProgress,
    failed,
  });
  const { ours, vs, theirs } = compareMedians(rounds, ({ perSecond }) => perSecond);
  return {
    figure,
    unit: "pairs/s",
    ours,
    vs,
    conditions: {
      theirs,
      failed,
      redisCpuMicrosPerPair: computeMedians(rounds, ({ redisMicros }) => redisMicros),
      nodeCpuMicrosPerPair: computeMedians(rounds, ({ nodeMicros }) => nodeMicros),
      rounds: plan.rounds,
      pairsPerRound: plan.pairs,
      inFlight: plan.inFlight,
      namesPerRound: Math.min(NAMES, plan.pairs),
      connections: 1,
    },
  };
}

async function measureRound(
  contender: Contender,
  look: Redis,
  plan: PairsPlan,
  round: number,
): Promise<PairsRound> {
  const redisBefore = await readRedisCpuMicros(look);
  const nodeBefore = process.cpuUsage();
  const started = performance.now();
  await runPairs(contender, plan, String(round));
  const seconds = (performance.now() - started) / 1000;
  const node = process.cpuUsage(nodeBefore);
  const redisMicros = (await readRedisCpuMicros(look)) - redisBefore;
  return {
    perSecond: plan.pairs / seconds,
    nodeMicros: (node.user + node.system) / plan.pairs,
    redisMicros: redisMicros / plan.pairs,
  };
}

/** Runs pairs. Each round has its own names, so that it does not find what an earlier one left. */
export async function runPairs(
  contender: Contender,
  { pairs, inFlight }: Pick<PairsPlan, "pairs" | "inFlight">,
  round: string,
): Promise<void> {
  let started = 0;
  const work = async () => {
    while (started < pairs) {
      const release = await contender.acquire(`lock:bench:${contender.name}:${round}:${started++ % NAMES}`);
      await release();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}
