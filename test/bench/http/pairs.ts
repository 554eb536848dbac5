import type { Facts, Line, Run } from "../figure.ts";
import { machineFacts } from "../machine.ts";
import { progress } from "../progress.ts";
import { compare, interleave, mediansOf, type Rounds } from "../rounds.ts";
import type { HttpContender } from "./contender.ts";
import type { HttpContenders } from "./contenders.ts";
import { Load, type LoadRound } from "./load.ts";

const CONNECTIONS = [1, 32, 256] as const;
/** Where the CPU of a request is looked at: the server is busy all the time, and with requests only. */
const CPU_CONNECTIONS = 32;
const CPU_FIGURE = "http.cpu";
const REQUESTS_PER_PAIR = 2;

const figureOf = (connections: number) => `http.pairs.c${connections}`;

export const PAIR_FIGURES: readonly string[] = [...CONNECTIONS.map(figureOf), CPU_FIGURE];

/** Acquire and release over HTTP, one after the other on each of so many kept-alive connections. */
export async function measurePairs(run: Run, { ours, bare, others, leftOut }: HttpContenders) {
  const plan = planFor(run);
  const all = [ours, bare, ...others];
  const load = await Load.start(run);
  progress("warm-up");
  for (const contender of all) await load.measure(contender, CPU_CONNECTIONS, plan.warmMs);
  const machine = await machineFacts(ours.look, run.effort);
  const lines: Line[] = [];
  for (const connections of CONNECTIONS.filter((count) => isWanted(run, count))) {
    progress(figureOf(connections));
    const rounds = await interleave({
      contenders: all,
      rounds: plan.rounds,
      measure: (contender) => load.measure(contender, connections, plan.forMs),
      onProgress: progress,
    });
    const common = { ...machine, consoles: 0, ...conditionsOf(rounds, plan), connections };
    const conditions = { ...common, leftOut, settings: settingsOf(all) };
    lines.push(throughputLine(figureOf(connections), rounds, conditions));
    if (connections === CPU_CONNECTIONS) lines.push(cpuLine(rounds, conditions));
  }
  return lines;
}

interface Plan {
  readonly rounds: number;
  readonly forMs: number;
  readonly warmMs: number;
}

function planFor({ effort }: Run): Plan {
  if (effort === "quick") return { rounds: 1, forMs: 50, warmMs: 50 };
  return { rounds: 9, forMs: 1500, warmMs: 4000 };
}

function isWanted({ wanted }: Run, connections: number): boolean {
  return (
    wanted.includes(figureOf(connections)) || (connections === CPU_CONNECTIONS && wanted.includes(CPU_FIGURE))
  );
}

function throughputLine(figure: string, rounds: Rounds<LoadRound>, conditions: Facts): Line {
  const { ours, vs, theirs } = compare(rounds, ({ pairs, seconds }) => pairs / seconds);
  return { figure, unit: "pairs/s", ours, vs, conditions: { theirs, ...conditions } };
}

function cpuLine(rounds: Rounds<LoadRound>, conditions: Facts): Line {
  const { ours, vs, theirs } = compare(
    rounds,
    ({ pairs, serverMicros }) => serverMicros / 1000 / pairs / REQUESTS_PER_PAIR,
  );
  const counting = "user and system time of the server's process; less is better";
  return {
    figure: CPU_FIGURE,
    unit: "ms/request",
    ours,
    vs,
    conditions: { theirs, counting, ...conditions },
  };
}

/**
 * Cores that each side had: 1 is one whole core. What is measured is the server, if it is near the one core that its
 * thread can have while who makes the load and Redis are not.
 */
function conditionsOf(rounds: Rounds<LoadRound>, plan: Plan): Facts {
  const cores = (micros: (round: LoadRound) => number) =>
    mediansOf(rounds, (round) => micros(round) / 1e6 / round.seconds);
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

function settingsOf(contenders: readonly HttpContender[]): Facts {
  return Object.fromEntries(contenders.map(({ name, settings }) => [name, settings]));
}
