import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { Waits } from "../../../lib/contract/waits/waits.ts";
import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readRedisCpuMicros } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import type { WaitsRequest, WaitsResponse } from "./waits-messages.ts";

const PAIRS = "watch.waits.pairs";
const SERVER_CPU = "watch.waits.cpu";
const REDIS_CPU = "watch.waits.redis.cpu";
const PLAN = {
  full: { workers: 1000, locks: 100, rounds: 7, forMs: 5000, settleMs: 2000 },
  quick: { workers: 50, locks: 5, rounds: 1, forMs: 500, settleMs: 500 },
};

interface Side {
  readonly name: string;
  readonly server: NodeContender;
  readonly workers: ChildProcess;
}

interface Round {
  readonly pairsPerSecond: number;
  /** CPU time per pair of acquire and release, in µs. */
  readonly serverMicros: number;
  readonly redisMicros: number;
  readonly serverCores: number;
  readonly redisCores: number;
  /** Number of waiting clients according to `GET /waits`. NaN if the server rejected the request. */
  readonly waiting: number;
}

/**
 * Cost of the wait-for graph while 1,000 clients wait. The same server is measured under the same load with and without
 * the graph.
 */
export const waits: Experiment = {
  figures: [PAIRS, SERVER_CPU, REDIS_CPU],
  async measure(run) {
    const plan = PLAN[run.effort];
    const sides = [await openSide(run, "ours"), await openSide(run, "without")];
    const measure = (side: Side) => measureSide(side, plan);
    const rounds = await interleave({
      contenders: sides,
      rounds: plan.rounds,
      measure,
      warmUp: measure,
      onProgress: reportProgress,
    });
    const conditions = {
      ...(await readMachineFacts(sides[0]?.server.inspector ?? fail(), run.effort)),
      ...plan,
      serverCores: computeMedians(rounds, (round) => round.serverCores),
      redisCores: computeMedians(rounds, (round) => round.redisCores),
      waiting: computeMedians(rounds, (round) => round.waiting),
    };
    return [
      createLine(PAIRS, "pairs/s", rounds, conditions, (round) => round.pairsPerSecond),
      createLine(SERVER_CPU, "µs/pair", rounds, conditions, (round) => round.serverMicros),
      createLine(REDIS_CPU, "µs/pair", rounds, conditions, (round) => round.redisMicros),
    ];
  },
};

function fail(): never {
  throw new Error("No side was opened");
}

async function openSide(run: Run, name: "ours" | "without"): Promise<Side> {
  const file = name === "ours" ? "api-server.ts" : "api-server-without-graph.ts";
  const server = await startWithoutPages(run, {}, file);
  return { name, server, workers: await startChild(run, "nested-waits.ts", [server.redisUrl]) };
}

async function measureSide(
  { server, workers }: Side,
  plan: (typeof PLAN)[keyof typeof PLAN],
): Promise<Round> {
  const send = (request: WaitsRequest) => sendRequest<WaitsResponse>(workers, request);
  await send({ do: "start", workers: plan.workers, locks: plan.locks });
  await sleep(plan.settleMs);
  const read = async () => ({
    at: performance.now(),
    pairs: (await send({ do: "count" })).pairs,
    server: await server.cpuMicros(),
    redis: await readRedisCpuMicros(server.inspector),
  });
  const before = await read();
  await sleep(plan.forMs);
  const after = await read();
  const waiting = await readWaiting(server);
  await send({ do: "stop" });
  const [pairs, micros] = [after.pairs - before.pairs, 1000 * (after.at - before.at)];
  const [serverMicros, redisMicros] = [after.server - before.server, after.redis - before.redis];
  return {
    pairsPerSecond: (pairs / micros) * 1e6,
    ...{ serverMicros: serverMicros / pairs, redisMicros: redisMicros / pairs },
    ...{ serverCores: serverMicros / micros, redisCores: redisMicros / micros, waiting },
  };
}

async function readWaiting({ target }: NodeContender): Promise<number> {
  const headers = { authorization: `Bearer ${target.secret}` };
  const response = await fetch(`http://127.0.0.1:${target.port}/api/v1/waits`, { headers });
  // The server limits the CPU time for such requests and may reject one.
  return response.ok ? Waits.parse(await response.json()).waiting : Number.NaN;
}

function createLine(
  figure: string,
  unit: string,
  rounds: Rounds<Round>,
  conditions: Line["conditions"],
  of: (round: Round) => number,
): Line {
  const { ours, vs, theirs } = compareMedians(rounds, of);
  return {
    ...{ figure, unit, ours: roundValue(ours), vs },
    conditions: {
      ...conditions,
      theirs,
      method:
        "Each worker of one process holds a lock of its own, declares it, and repeatedly waits for one of the shared locks, acquires and releases it. without: the same server without the wait-for graph, with its own Redis and workers. cpu: CPU time of the server process. redis.cpu: CPU time of Redis's main thread, including the verbs of the workers",
    },
  };
}
