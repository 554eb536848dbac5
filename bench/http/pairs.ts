import type { Experiment, Facts, Line, Run } from "../figure.ts";
import { machineFacts } from "../machine.ts";
import { progress } from "../progress.ts";
import { compare, interleave, mediansOf, type Rounds } from "../rounds.ts";
import { type HttpContenders, openHttpContenders } from "./contenders.ts";
import { Load, type LoadRound } from "./load.ts";

const CONNECTIONS = [1, 32, 256] as const;
/** Where the CPU of a request is looked at: the server is busy all the time, and with requests only. */
const CPU_CONNECTIONS = 32;
const CPU_FIGURE = "http.cpu";
const REQUESTS_PER_PAIR = 2;

const figureOf = (connections: number) => `http.pairs.c${connections}`;

/** Acquire and release over HTTP, one after the other on each of so many kept-alive connections. */
export const pairs: Experiment = {
  figures: [...CONNECTIONS.map(figureOf), CPU_FIGURE],
  async measure(run) {
    const plan = planFor(run);
    const contenders = await openHttpContenders(run);
    const load = await Load.start(run);
    progress("warm-up");
    for (const contender of contenders.all) await load.measure(contender, CPU_CONNECTIONS, plan.warmMs);
    const machine = await machineFacts(lookOf(contenders), run.effort);
    const lines: Line[] = [];
    for (const connections of CONNECTIONS.filter((count) => isWanted(run, count))) {
      progress(figureOf(connections));
      const rounds = await interleave({
        contenders: contenders.all,
        rounds: plan.rounds,
        measure: (contender) => load.measure(contender, connections, plan.forMs),
        onProgress: progress,
      });
      const conditions = { ...machine, consoles: 0, ...conditionsOf(contenders, rounds, plan, connections) };
      lines.push(throughputLine(figureOf(connections), rounds, conditions));
      if (connections === CPU_CONNECTIONS) lines.push(cpuLine(rounds, conditions));
    }
    return lines;
  },
};

interface Plan {
  readonly rounds: number;
  readonly forMs: number;
  readonly warmMs: number;
}

function planFor({ effort }: Run): Plan {
  if (effort === "quick") return { rounds: 2, forMs: 60, warmMs: 60 };
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

/** A share of 1 is one core: who makes the load must stay below, and the server be near it, for the server to be what is measured. */
function conditionsOf(
  { all, leftOut }: HttpContenders,
  rounds: Rounds<LoadRound>,
  plan: Plan,
  connections: number,
): Facts {
  const share = (micros: (round: LoadRound) => number) =>
    mediansOf(rounds, (round) => micros(round) / 1e6 / round.seconds);
  return {
    connections,
    rounds: plan.rounds,
    msPerRound: plan.forMs,
    coresUsed: {
      server: share(({ serverMicros }) => serverMicros),
      generator: share(({ generatorMicros }) => generatorMicros),
      redis: share(({ redisMicros }) => redisMicros),
    },
    leftOut,
    settings: Object.fromEntries(all.map(({ name, settings }) => [name, settings])),
  };
}

function lookOf({ all }: HttpContenders) {
  const look = all.find((contender) => contender.look !== undefined)?.look;
  if (look === undefined) throw new Error("No contender has a Redis");
  return look;
}
