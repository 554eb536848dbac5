import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, startChild } from "../child.ts";
import { getMonotonicMs } from "../core/hand-off-messages.ts";
import { type Experiment, type Line, roundValue } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readRedisCpuMicros } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { computePercentile } from "../statistics.ts";
import type { ChangesRequest, ChangesResponse } from "./changes-messages.ts";
import { Tabs } from "./tabs.ts";
import { type Enter, listViews, openProbes, PROBES } from "./views.ts";

const FIGURES = { "watch.lag.p99": 100, "watch.lag.p99.1tab": 1 };
const CHANGES_A_SECOND = 2000;
const NAMES = 3000;
const FILL_MS = { full: 6000, quick: 1000 };
const EFFORT = {
  full: { rounds: 3, warmMs: 3000, probes: 120 },
  quick: { rounds: 1, warmMs: 500, probes: 20 },
};
const LOST_MS = 10_000;
/**
 * Range in ms of the pause between two probes. A random pause prevents the probes from coinciding with the server's
 * timers.
 */
const PAUSE_MS = [20, 80] as const;

/**
 * Time from a change of a lock until its row arrives in a tab, while other clients change thousands of locks per
 * second.
 */
export const lag: Experiment = {
  figures: Object.keys(FIGURES),
  async measure(run) {
    const server = await startWithoutPages(run);
    const enters = await openProbes(run, server.redisUrl, server.inspector);
    const changes = await startChild(run, "changes.ts", [server.redisUrl]);
    await sendChanges(changes, { do: "change", perSecond: CHANGES_A_SECOND, names: NAMES });
    const tabs = await Tabs.start(run, server.target);
    await sleep(FILL_MS[run.effort]);
    const scene = { server, changes, tabs, enters };
    const rounds: Record<string, Round[]> = {};
    for (let round = 0; round < EFFORT[run.effort].rounds; round++) {
      for (const [figure, count] of Object.entries(FIGURES)) {
        if (!run.wanted.includes(figure)) continue;
        reportProgress(`round ${round + 1}: ${count} tabs`);
        const measured = await measureRound(scene, count, EFFORT[run.effort]);
        rounds[figure] = [...(rounds[figure] ?? []), measured];
      }
    }
    const machine = await readMachineFacts(server.inspector, run.effort);
    return Object.entries(rounds).map(([figure, all]) => createLine(figure, all, machine));
  },
};

interface LagSetup {
  readonly server: NodeContender;
  readonly changes: ChildProcess;
  readonly tabs: Tabs;
  readonly enters: ReadonlyMap<string, Enter>;
}

interface Round {
  readonly tabs: number;
  /** Delays in ms, one for each tab that shows the changed lock and for each probe. */
  readonly lags: readonly number[];
  readonly facts: Readonly<Record<string, number>>;
}

async function measureRound(
  scene: LagSetup,
  count: number,
  { warmMs, probes }: { readonly warmMs: number; readonly probes: number },
): Promise<Round> {
  const { tabs } = scene;
  const views = listViews(count);
  await tabs.open(views);
  const lookers = new Map(
    PROBES.map((probe) => [probe, views.filter((view) => view.probe === probe).length]),
  );
  const shown = [...lookers].filter(([, lookersOf]) => lookersOf > 0);
  await sleep(warmMs);
  const before = await readUsage(scene);
  const lags: number[] = [];
  for (let at = 0; at < probes; at++) {
    const [probe = "", lookersOf = 0] = shown[at % shown.length] ?? [];
    lags.push(...(await measureProbe(scene, probe, lookersOf)));
    await sleep(PAUSE_MS[0] + Math.random() * (PAUSE_MS[1] - PAUSE_MS[0]));
  }
  const after = await readUsage(scene);
  await tabs.close();
  return { tabs: count, lags, facts: computeUsageFacts(before, after, count) };
}

/**
 * Changes one lock.
 *
 * @returns the delays in ms after which the tabs received its row
 */
async function measureProbe({ tabs, enters }: LagSetup, probe: string, lookers: number): Promise<number[]> {
  const enter = enters.get(probe);
  if (enter === undefined) throw new Error(`There is no probe ${probe}`);
  const seen: { readonly count: number; readonly at: number }[] = [];
  let onSeen: () => void = () => undefined;
  tabs.onSeen = (words) => {
    if (words.probe === probe) seen.push(words);
    onSeen();
  };
  const from = getMonotonicMs();
  const count = await enter();
  // Ignores rows of earlier changes, which have a lower count.
  const arrived = () => seen.filter((one) => one.count >= count);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${probe} reached ${arrived().length} of ${lookers} tabs in ${LOST_MS} ms`)),
      LOST_MS,
    );
    onSeen = () => {
      if (arrived().length < lookers) return;
      clearTimeout(timer);
      resolve();
    };
    onSeen();
  });
  return arrived().map(({ at }) => at - from);
}

async function readUsage({ server, changes, tabs }: LagSetup) {
  const made = await sendChanges(changes, { do: "report" });
  const read = await tabs.report();
  return {
    at: getMonotonicMs(),
    made,
    read,
    cpuMicros: { server: await server.cpuMicros(), redis: await readRedisCpuMicros(server.inspector) },
  };
}

type Used = Awaited<ReturnType<typeof readUsage>>;

function computeUsageFacts(before: Used, after: Used, tabs: number): Record<string, number> {
  const seconds = (after.at - before.at) / 1000;
  const cores = (from: number, to: number) => roundValue((to - from) / 1e6 / seconds);
  return {
    changesPerSecond: roundValue((after.made.changes - before.made.changes) / seconds),
    failed: after.made.failed - before.made.failed,
    bytesPerSecondATab: roundValue(after.read.bytes / seconds / tabs),
    messagesPerSecondATab: roundValue(after.read.messages / seconds / tabs),
    coresServer: cores(before.cpuMicros.server, after.cpuMicros.server),
    coresRedis: cores(before.cpuMicros.redis, after.cpuMicros.redis),
    coresTabs: cores(before.read.cpuMicros, after.read.cpuMicros),
    coresChanges: cores(before.made.cpuMicros, after.made.cpuMicros),
  };
}

function createLine(figure: string, rounds: readonly Round[], machine: object): Line {
  const lags = rounds.flatMap((round) => round.lags);
  return {
    ...{ figure, unit: "ms", ours: roundValue(computePercentile(lags, 0.99)), vs: {} },
    conditions: {
      ...machine,
      ...{ tabs: rounds[0]?.tabs, rounds: rounds.length, arrivals: lags.length, names: NAMES },
      p50Ms: roundValue(computePercentile(lags, 0.5)),
      p90Ms: roundValue(computePercentile(lags, 0.9)),
      maxMs: roundValue(Math.max(...lags)),
      p99MsByRound: rounds.map((round) => roundValue(computePercentile(round.lags, 0.99))),
      byRound: rounds.map(({ facts }) => facts),
      method:
        "Time from the start of a re-entry of a lock to the arrival of the complete message in each tab that shows the lock. Tabs show windows of 100 rows with six orders and filters; every tenth tab also receives all events. Clients, tabs, Redis and server share the machine. Without the time in the browser. Lower is better",
    },
  };
}

async function sendChanges(changes: ChildProcess, words: ChangesRequest): Promise<ChangesResponse> {
  return await sendRequest<ChangesResponse>(changes, words);
}
