import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Facts, type Line, type Run, roundValue } from "../figure.ts";
import { readRedisCpuMicros } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { computeMedian, computePercentile } from "../statistics.ts";
import type { ChangesRequest, ChangesResponse } from "../watch/changes-messages.ts";
import type { NodeContender } from "./contender.ts";
import { startBare, startWithoutPages } from "./node-servers.ts";
import type { PacedRequest, PacedResponse } from "./paced-messages.ts";

const FIGURE = "http.busy.p99";
const CONNECTIONS = 32;
const VERBS_A_SECOND = 500;
const CHANGES = { do: "change", perSecond: 2000, names: 3000 } as const;
const PLAN = {
  full: { rounds: 7, forMs: 4000, settleMs: 1000, warmMs: 4000 },
  quick: { rounds: 1, forMs: 200, settleMs: 50, warmMs: 100 },
};

/**
 * p99 latency of verbs at a fixed rate while other clients change locks. `vs` compares it with the latency while no
 * other client does.
 */
export const busy: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const plan = PLAN[run.effort];
    const ours = await openScene(run, await startWithoutPages(run), plan.warmMs);
    const bare = await openScene(run, await startBare(run), plan.warmMs);
    const rounds = new Map<Scene, Round[]>([ours, bare].map((scene) => [scene, []]));
    for (let round = 1; round <= plan.rounds; round++) {
      reportProgress(`round ${round} of ${plan.rounds}`);
      for (const [scene, all] of rounds) all.push(await measureRound(scene, plan));
    }
    const machine = await readMachineFacts(ours.server.inspector, run.effort);
    return [createLine(rounds.get(ours) ?? [], rounds.get(bare) ?? [], { ...machine, rounds: plan.rounds })];
  },
};

interface Scene {
  readonly server: NodeContender;
  readonly load: ChildProcess;
  readonly changes: ChildProcess;
}

/** The measurements during one phase of a round. */
interface Phase {
  readonly ms: readonly number[];
  readonly serverCores: number;
  readonly redisCores: number;
}

interface Round {
  readonly quiet: Phase;
  readonly busy: Phase;
}

let prefixes = 0;

async function openScene(run: Run, server: NodeContender, warmMs: number): Promise<Scene> {
  const load = await startChild(run, "paced-load.ts", []);
  const changes = await startChild(run, "changes.ts", [server.redisUrl]);
  const scene = { server, load, changes };
  await sendChanges(changes, CHANGES);
  await runPaced(scene, warmMs);
  await sendChanges(changes, { do: "pause" });
  return scene;
}

async function measureRound(
  scene: Scene,
  { forMs, settleMs }: { readonly forMs: number; readonly settleMs: number },
): Promise<Round> {
  await sleep(settleMs);
  const quiet = await measurePhase(scene, forMs);
  await sendChanges(scene.changes, CHANGES);
  await sleep(settleMs);
  const during = await measurePhase(scene, forMs);
  await sendChanges(scene.changes, { do: "pause" });
  return { quiet, busy: during };
}

async function measurePhase(scene: Scene, forMs: number): Promise<Phase> {
  const { server } = scene;
  const readCpu = async () => [await server.cpuMicros(), await readRedisCpuMicros(server.inspector)] as const;
  const before = await readCpu();
  const startedAt = performance.now();
  const ms = await runPaced(scene, forMs);
  const elapsedMicros = 1000 * (performance.now() - startedAt);
  const after = await readCpu();
  return {
    ms,
    serverCores: (after[0] - before[0]) / elapsedMicros,
    redisCores: (after[1] - before[1]) / elapsedMicros,
  };
}

async function runPaced({ load, server }: Scene, forMs: number): Promise<readonly number[]> {
  const response = await sendRequest<PacedResponse>(load, {
    target: server.target,
    connections: CONNECTIONS,
    perSecond: VERBS_A_SECOND,
    forMs,
    prefix: `lock:bench:${server.name}:${prefixes++}`,
  } satisfies PacedRequest);
  if (response.is === "failed") throw new Error(response.why);
  return response.ms;
}

function createLine(ours: readonly Round[], bare: readonly Round[], facts: Facts): Line {
  const p99 = (phase: Phase) => computePercentile(phase.ms, 0.99);
  const compare = (rounds: readonly Round[]) =>
    roundValue(computeMedian(rounds.map((round) => p99(round.busy) / p99(round.quiet))));
  return {
    figure: FIGURE,
    unit: "ms",
    ours: roundValue(computeMedian(ours.map((round) => p99(round.busy)))),
    vs: { quiet: compare(ours) },
    conditions: {
      ...facts,
      ...{ connections: CONNECTIONS, verbsPerSecond: VERBS_A_SECOND, changesPerSecond: CHANGES.perSecond },
      // The changes also load the machine and Redis. This ratio shows their effect on a server that watches nothing.
      bareVsQuiet: compare(bare),
      vsQuietByRound: ours.map((round) => roundValue(p99(round.busy) / p99(round.quiet))),
      quiet: describePhases(ours.map((round) => round.quiet)),
      busy: describePhases(ours.map((round) => round.busy)),
      bareQuiet: describePhases(bare.map((round) => round.quiet)),
      bareBusy: describePhases(bare.map((round) => round.busy)),
      method:
        "p99 of the time from when a verb is due, at a fixed rate, to its response. quiet: no other changes. busy: other clients change watched locks, half of them with Lockkeeper's scripts. bareVsQuiet: the same for a node:http handler of the same scripts that watches nothing, with its own Redis. Lower is better",
    },
  };
}

function describePhases(phases: readonly Phase[]): Facts {
  const median = (of: (phase: Phase) => number) => roundValue(computeMedian(phases.map(of)));
  return {
    p50Ms: median(({ ms }) => computePercentile(ms, 0.5)),
    p90Ms: median(({ ms }) => computePercentile(ms, 0.9)),
    p99Ms: median(({ ms }) => computePercentile(ms, 0.99)),
    maxMs: median(({ ms }) => Math.max(...ms)),
    serverCores: median(({ serverCores }) => serverCores),
    redisCores: median(({ redisCores }) => redisCores),
  };
}

async function sendChanges(changes: ChildProcess, words: ChangesRequest): Promise<ChangesResponse> {
  return await sendRequest<ChangesResponse>(changes, words);
}
