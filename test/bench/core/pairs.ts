import type { Redis } from "ioredis";
import type { Contender } from "../contender.ts";
import type { Facts, Line } from "../figure.ts";
import { readRedisCpuMicros } from "../info.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import { computePercentile } from "../statistics.ts";

export interface PairsPlan {
  readonly rounds: number;
  readonly pairs: number;
  readonly inFlight: number;
}

/**
 * Number of lock names per round. They are used in turn, so that concurrent pairs never share a lock and names are
 * reused as in applications.
 */
const NAMES = 4096;

interface PairsRound {
  readonly perSecond: number;
  /** CPU time of this process per pair, in µs. `redisMicros` is that of Redis's main thread. */
  readonly nodeMicros: number;
  readonly redisMicros: number;
  /** Time, in ms, that a pair took, by the name of the percentile. */
  readonly latencyMs: Readonly<Record<PercentileName, number>>;
}

/** Shares of the pairs, 0 to 1, by name. */
const PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999, longest: 1 } as const;
type PercentileName = keyof typeof PERCENTILES;

/**
 * Measures the number of acquire and release pairs per second for each contender, the time that a pair takes, and the
 * CPU time of a pair in this process and in Redis.
 */
export async function measurePairs(
  figure: string,
  contenders: readonly Contender[],
  inspector: Redis,
  plan: PairsPlan,
): Promise<Omit<Line, "conditions"> & { conditions: Facts }> {
  const failed: Record<string, string> = {};
  let measured = 0;
  const rounds = await interleave({
    contenders,
    rounds: plan.rounds,
    warmUp: (contender) => runPairs(contender, plan, "warm"),
    measure: (contender) => measureRound(contender, inspector, plan, measured++),
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
      latencyMs: computeLatencies(rounds),
      rounds: plan.rounds,
      pairsPerRound: plan.pairs,
      inFlight: plan.inFlight,
      namesPerRound: Math.min(NAMES, plan.pairs),
      connections: 1,
    },
  };
}

/** Returns each percentile of each contender as the median of the rounds. */
function computeLatencies(rounds: Rounds<PairsRound>) {
  return mapPercentiles((_, name) => computeMedians(rounds, ({ latencyMs }) => latencyMs[name]));
}

function mapPercentiles<Value>(compute: (share: number, name: PercentileName) => Value) {
  const values = Object.entries(PERCENTILES) as [PercentileName, number][];
  return Object.fromEntries(values.map(([name, share]) => [name, compute(share, name)])) as Record<
    PercentileName,
    Value
  >;
}

async function measureRound(
  contender: Contender,
  inspector: Redis,
  plan: PairsPlan,
  round: number,
): Promise<PairsRound> {
  const redisBefore = await readRedisCpuMicros(inspector);
  const nodeBefore = process.cpuUsage();
  const latencies: number[] = [];
  const started = performance.now();
  await runPairs(contender, plan, String(round), (ms) => latencies.push(ms));
  const seconds = (performance.now() - started) / 1000;
  const node = process.cpuUsage(nodeBefore);
  const redisMicros = (await readRedisCpuMicros(inspector)) - redisBefore;
  return {
    perSecond: plan.pairs / seconds,
    nodeMicros: (node.user + node.system) / plan.pairs,
    redisMicros: redisMicros / plan.pairs,
    latencyMs: mapPercentiles((share) => computePercentile(latencies, share)),
  };
}

/**
 * Runs pairs of acquire and release. Each round has its own lock names, so that keys left by an earlier round have no
 * effect.
 */
export async function runPairs(
  contender: Contender,
  { pairs, inFlight }: Pick<PairsPlan, "pairs" | "inFlight">,
  round: string,
  onPair?: (ms: number) => void,
): Promise<void> {
  let started = 0;
  const work = async () => {
    while (started < pairs) {
      const startedAt = performance.now();
      const release = await contender.acquire(`lock:bench:${contender.name}:${round}:${started++ % NAMES}`);
      await release();
      onPair?.(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}
