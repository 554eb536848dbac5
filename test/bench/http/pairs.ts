import { type Facts, formatReason, type Line, type Run } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import type { HttpContender } from "./contender.ts";
import type { HttpContenders } from "./contenders.ts";
import { Load, type LoadRound } from "./load.ts";

const CONNECTIONS = [1, 32, 256] as const;
/** Number of connections at which the CPU time per request is measured. With 32, the server is never idle. */
const CPU_CONNECTIONS = 32;
const CPU_FIGURE = "http.cpu";
const REQUESTS_PER_PAIR = 2;

const formatFigure = (connections: number) => `http.pairs.c${connections}`;

export const PAIR_FIGURES: readonly string[] = [...CONNECTIONS.map(formatFigure), CPU_FIGURE];

/** Measures acquires and releases over HTTP. Each connection is persistent and has one request at a time. */
export async function measurePairs(run: Run, contenders: HttpContenders): Promise<void> {
  const plan = createPlan(run);
  const all = [contenders.ours, contenders.bare, ...contenders.others];
  const load = await Load.start(run);
  reportProgress("warm-up");
  for (const contender of all) {
    // A failure here is not recorded. If the contender is broken, its first figure fails as well.
    const onFailed = (error: unknown) => reportProgress(`${contender.name} failed: ${formatReason(error)}`);
    await load.measure(contender, CPU_CONNECTIONS, plan.warmMs).catch(onFailed);
  }
  const machine = { ...(await readMachineFacts(contenders.ours.inspector, run.effort)), consoles: 0 };
  for (const connections of CONNECTIONS) {
    const figures = [formatFigure(connections), ...(connections === CPU_CONNECTIONS ? [CPU_FIGURE] : [])];
    await run.part(figures, () => measureAt(connections, { all, contenders, load, plan, machine }));
  }
}

interface PairsSetup {
  readonly all: readonly HttpContender[];
  readonly contenders: HttpContenders;
  readonly load: Load;
  readonly plan: Plan;
  readonly machine: Facts;
}

async function measureAt(connections: number, scene: PairsSetup): Promise<readonly Line[]> {
  const { all, contenders, load, plan, machine } = scene;
  const figure = formatFigure(connections);
  reportProgress(figure);
  const failed = { ...contenders.failed };
  const rounds = await interleave({
    contenders: all,
    rounds: plan.rounds,
    measure: (contender) => load.measure(contender, connections, plan.forMs),
    onProgress: reportProgress,
    failed,
  });
  const { leftOut } = contenders;
  const conditions = { failed, ...machine, ...computeConditions(rounds, plan), connections, leftOut };
  const facts = { ...conditions, settings: listSettings(all) };
  const lines = [createThroughputLine(figure, rounds, facts)];
  return connections === CPU_CONNECTIONS ? [...lines, createCpuLine(rounds, facts)] : lines;
}

interface Plan {
  readonly rounds: number;
  readonly forMs: number;
  readonly warmMs: number;
}

function createPlan({ effort }: Run): Plan {
  if (effort === "quick") return { rounds: 1, forMs: 50, warmMs: 50 };
  return { rounds: 9, forMs: 1500, warmMs: 4000 };
}

function createThroughputLine(figure: string, rounds: Rounds<LoadRound>, conditions: Facts): Line {
  const { ours, vs, theirs } = compareMedians(rounds, ({ pairs, seconds }) => pairs / seconds);
  return { figure, unit: "pairs/s", ours, vs, conditions: { theirs, ...conditions } };
}

function createCpuLine(rounds: Rounds<LoadRound>, conditions: Facts): Line {
  const { ours, vs, theirs } = compareMedians(
    rounds,
    ({ pairs, serverMicros }) => serverMicros / 1000 / pairs / REQUESTS_PER_PAIR,
  );
  const method = "User and system CPU time of the server process. Lower is better";
  return {
    figure: CPU_FIGURE,
    unit: "ms/request",
    ours,
    vs,
    conditions: { theirs, method, ...conditions },
  };
}

/**
 * Computes how many CPU cores each process used on average. The server was the bottleneck if its value is near 1, the
 * maximum for its single thread, and those of the load generator and Redis are not.
 */
function computeConditions(rounds: Rounds<LoadRound>, plan: Plan): Facts {
  const cores = (micros: (round: LoadRound) => number) =>
    computeMedians(rounds, (round) => micros(round) / 1e6 / round.seconds);
  return {
    rounds: plan.rounds,
    msPerRound: plan.forMs,
    coresUsed: {
      server: cores(({ serverMicros }) => serverMicros),
      generator: cores(({ generatorMicros }) => generatorMicros),
      redis: cores(({ redisMicros }) => redisMicros),
    },
  };
}

function listSettings(contenders: readonly HttpContender[]): Facts {
  return Object.fromEntries(contenders.map(({ name, settings }) => [name, settings]));
}
