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
/**
 * Numbers of connections: one operator who releases single locks, and several requests at once as in a bulk release.
 */
const CONNECTIONS = [1, 8] as const;
const SEEN_WITHIN_MS = 20_000;

interface Round {
  readonly release: readonly number[];
  readonly force: readonly number[];
}

/**
 * p99 latency of a force-release compared with that of a release by the holder. A force-release also writes two audit
 * records and checks the version of the hold.
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
  // Round 0 is a warm-up and is not counted.
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

/** Waits until the API lists all the locks, because operators release the locks that the console lists. */
async function waitUntilSeen({ target }: NodeContender, prefix: string, locks: number): Promise<void> {
  const filter = encodeURIComponent(`key:${prefix}:*`);
  const url = `http://127.0.0.1:${target.port}/api/v1/locks?limit=1&filter=${filter}`;
  const headers = { authorization: `Bearer ${target.secret}` };
  const deadline = performance.now() + SEEN_WITHIN_MS;
  for (let total: unknown = 0; performance.now() < deadline; await sleep(20)) {
    ({ total } = await (await fetch(url, { headers })).json());
    if (total === locks) return;
  }
  throw new Error(`The snapshot did not contain the ${locks} locks of ${prefix} in time`);
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
  // The number of connections with the higher ratio determines the figure.
  const [worst = told[0]] = told.toSorted((a, b) => b.p99Ratio - a.p99Ratio);
  if (worst === undefined) throw new Error("nothing was measured");
  return {
    figure: FIGURE,
    unit: "ms",
    ours: worst.forceP99,
    vs: { release: worst.p99Ratio },
    conditions: {
      theirs: { release: worst.releaseP99 },
      method:
        "Time from a request to its complete response, measured by the client. p99 of each round, then the median of the rounds; ratios within rounds. In a round, half of the locks are released by their holders and half are force-released, interleaved. The audit log is on. The worse of the two numbers of connections counts. Lower is better",
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
