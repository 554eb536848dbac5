import { WritableKind } from "../../../lib/contract/format.ts";
import { formatReason, Skip } from "../../interop/skip.ts";
import type { Experiment, Facts, Line, Run } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { type BenchRedis, startRedis } from "../servers.ts";
import type { BenchKind, KindsContender } from "./contender.ts";
import { measureHandOffs } from "./hand-off.ts";
import { openOurKinds } from "./ours.ts";
import { createPairsLine, measurePairs } from "./pairs.ts";
import { openRedissonKinds } from "./redisson.ts";

/** Number of lock names that are used in turn. `core.pairs` uses the same number. */
const NAMES = 4096;
const IN_FLIGHT = 64;
/** Permits of each semaphore in the measurements without contention. */
const OWN_LIMIT = 10;

const KINDS = WritableKind.options;
/** Kinds of locks that several clients can hold at the same time. */
const SHARED_KINDS = ["read", "semaphore", "plain_semaphore"] as const;
const LATCH = { p50: "core.kinds.latch.wake.p50", p99: "core.kinds.latch.wake.p99" };

const listPairs = (kind: BenchKind) => [
  `core.kinds.${kind}.pairs.c1`,
  `core.kinds.${kind}.pairs.c64`,
  `core.kinds.${kind}.commands`,
  `core.kinds.${kind}.redis.cpu`,
];
const nameShared = (kind: BenchKind) => `core.kinds.${kind}.shared.c64`;
const nameHandOffs = (kind: BenchKind) => ({
  p50: `core.kinds.${kind}.handoff.p50`,
  p99: `core.kinds.${kind}.handoff.p99`,
});

/** Throughput and hand-off times of each kind of lock, compared with Redisson in a JVM. */
export const kinds: Experiment = {
  figures: [
    ...KINDS.flatMap((kind) => [...listPairs(kind), ...Object.values(nameHandOffs(kind))]),
    ...SHARED_KINDS.map(nameShared),
    ...Object.values(LATCH),
  ],
  async measure(run) {
    const redis = await startRedis(run, "");
    const bench = await openBench(run, redis);
    for (const kind of KINDS) {
      await run.part(listPairs(kind), () => bench.measure(() => measureKind(bench, kind)));
      const figures = nameHandOffs(kind);
      await run.part(Object.values(figures), () => bench.measure(() => measureWaiting(bench, kind, figures)));
    }
    for (const kind of SHARED_KINDS) {
      await run.part([nameShared(kind)], () => bench.measure(() => measureShared(bench, kind)));
    }
    await run.part(Object.values(LATCH), () => bench.measure(() => measureWaiting(bench, "latch", LATCH)));
    return [];
  },
};

interface Bench extends BenchRedis {
  readonly run: Run;
  readonly contenders: readonly KindsContender[];
  /** Runs a measurement and adds the conditions that all figures have in common. */
  measure(lines: () => Promise<readonly Line[]>): Promise<readonly Line[]>;
}

async function openBench(run: Run, redis: BenchRedis): Promise<Bench> {
  const contenders = [await openOurKinds(run, redis.url)];
  const leftOut: Record<string, string> = {};
  try {
    contenders.push(await openRedissonKinds(run, redis.url));
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    leftOut.redisson = formatReason(error);
    reportProgress(`redisson is left out: ${leftOut.redisson}`);
  }
  const settings = Object.fromEntries(contenders.map((contender) => [contender.name, contender.settings]));
  const measure: Bench["measure"] = async (lines) => {
    const common: Facts = { ...(await readMachineFacts(redis.inspector, run.effort)), leftOut, settings };
    return (await lines()).map((line) => ({ ...line, conditions: { ...common, ...line.conditions } }));
  };
  return { ...redis, run, contenders, measure };
}

async function measureKind({ run, inspector, contenders }: Bench, kind: WritableKind): Promise<Line[]> {
  const [c1 = "", c64 = "", commands = "", cpu = ""] = listPairs(kind);
  const load = { names: NAMES, limit: OWN_LIMIT };
  const one = await measurePairs(run, inspector, contenders, kind, { ...load, inFlight: 1 });
  const many = await measurePairs(run, inspector, contenders, kind, { ...load, inFlight: IN_FLIGHT });
  return [
    createPairsLine(c1, "pairs/s", one, ({ perSecond }) => perSecond),
    createPairsLine(c64, "pairs/s", many, ({ perSecond }) => perSecond),
    createPairsLine(commands, "commands/pair", many, (round) => round.commands),
    createPairsLine(cpu, "µs/pair", many, ({ redisMicros }) => redisMicros),
  ];
}

/** Measures pairs of acquire and release when all clients use the same lock, which they can hold at the same time. */
async function measureShared({ run, inspector, contenders }: Bench, kind: WritableKind): Promise<Line[]> {
  const load = { names: 1, limit: IN_FLIGHT, inFlight: IN_FLIGHT };
  const pairs = await measurePairs(run, inspector, contenders, kind, load);
  return [createPairsLine(nameShared(kind), "pairs/s", pairs, ({ perSecond }) => perSecond)];
}

function measureWaiting(
  { run, inspector, contenders }: Bench,
  kind: BenchKind,
  figures: { readonly p50: string; readonly p99: string },
): Promise<Line[]> {
  return measureHandOffs(run, inspector, contenders, kind, figures);
}
