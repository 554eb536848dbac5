import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { computeMedian, computePercentile } from "../statistics.ts";
import type { NodeContender } from "./contender.ts";
import type { ForceRequest, ForceResponse } from "./force-messages.ts";
import { startOurs } from "./node-servers.ts";

const FIGURE = "http.force.p99";
/** One operator who clicks, and several at once, like a bulk release. */
const CONNECTIONS = [1, 8] as const;
const SEEN_WITHIN_MS = 20_000;

interface Round {
  readonly release: readonly number[];
  readonly force: readonly number[];
}

/**
 * The cost of a force-release compared with the holder's own release: it is recorded before and after, and the hold is
 * compared with the one seen.
 */
export const force: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const server = await startOurs(run);
    const plan = run.effort === "quick" ? { rounds: 1, locks: 40 } : { rounds: 9, locks: 1000 };
    const byConnections = new Map<number, readonly Round[]>();
    for (const connections of CONNECTIONS) {
      reportProgress(`${FIGURE}, ${connections} connections`);
      byConnections.set(connections, await measureRounds(run, server, connections, plan));
    }
    return [await createLine(run, server, byConnections, plan)];
  },
};

async function measureRounds(
  run: Run,
  server: NodeContender,
  connections: number,
  { rounds, locks }: { rounds: number; locks: number },
): Promise<Round[]> {
  const child = await startChild(run, "force-load.ts", []);
  const tell = async (words: ForceRequest) => {
    const says = await sendRequest<ForceResponse>(child, words);
    if (says.is === "failed") throw new Error(`ours under load: ${says.why}`);
    return says;
  };
  await tell({ do: "open", target: server.target, connections });
  const all: Round[] = [];
  // The first round warms up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const prefix = `lock:bench:force:${connections}:${round}`;
    await tell({ do: "take", prefix, locks });
    await waitUntilSeen(server, prefix, locks);
    const freed = await tell({ do: "free" });
    if (freed.is !== "freed") throw new Error("Nothing was freed");
    if (round > 0) all.push({ release: freed.releaseMs, force: freed.forceMs });
  }
  return all;
}

/** Waits until the console shows the locks, because an operator releases what it shows. */
async function waitUntilSeen({ target }: NodeContender, prefix: string, locks: number): Promise<void> {
  const filter = encodeURIComponent(`key:${prefix}:*`);
  const url = `http://127.0.0.1:${target.port}/api/v1/locks?limit=1&filter=${filter}`;
  const headers = { authorization: `Bearer ${target.secret}` };
  const deadline = performance.now() + SEEN_WITHIN_MS;
  for (let total: unknown = 0; performance.now() < deadline; await sleep(20)) {
    ({ total } = await (await fetch(url, { headers })).json());
    if (total === locks) return;
  }
  throw new Error(`The picture never had the ${locks} locks of ${prefix}`);
}

async function createLine(
  run: Run,
  server: NodeContender,
  byConnections: ReadonlyMap<number, readonly Round[]>,
  plan: { rounds: number; locks: number },
): Promise<Line> {
  const told = [...byConnections].map(([connections, rounds]) => ({
    connections,
    ...summarizeRounds(rounds),
  }));
  // The worse of the two, by the ratio.
  const [worst = told[0]] = told.toSorted((a, b) => b.p99Ratio - a.p99Ratio);
  if (worst === undefined) throw new Error("nothing was measured");
  return {
    figure: FIGURE,
    unit: "ms",
    ours: worst.forceP99,
    vs: { release: worst.p99Ratio },
    conditions: {
      theirs: { release: worst.releaseP99 },
      counting:
        "from a request to all of its answer, as its client has it; p99 of each round and the median of the rounds, ratios by the round. Each other lock of a round is released by its holder, and each other one freed by force, mixed. The audit is on. Of the numbers of connections the worse one; less is better",
      ...(await readMachineFacts(server.inspector, run.effort)),
      ...{ consoles: 0, rounds: plan.rounds, locksPerRound: plan.locks },
      byConnections: told,
      settings: server.settings,
    },
  };
}

function summarizeRounds(rounds: readonly Round[]) {
  const of = (by: keyof Round, share: number) => rounds.map((round) => computePercentile(round[by], share));
  const ratio = (share: number) => {
    const release = of("release", share);
    return roundValue(
      computeMedian(of("force", share).map((ms, round) => ms / (release[round] ?? Number.NaN))),
    );
  };
  return {
    forceP99: roundValue(computeMedian(of("force", 0.99))),
    releaseP99: roundValue(computeMedian(of("release", 0.99))),
    p99Ratio: ratio(0.99),
    forceP50: roundValue(computeMedian(of("force", 0.5))),
    releaseP50: roundValue(computeMedian(of("release", 0.5))),
    p50Ratio: ratio(0.5),
  };
}
