import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, interleave } from "../rounds.ts";
import type { ChangesRequest, ChangesResponse } from "./changes-messages.ts";
import { measureSent, type Sent } from "./sent.ts";
import { Tabs } from "./tabs.ts";
import { listViews } from "./views.ts";

const IDLE = "watch.idle";
const RENEWING = "watch.idle.renewing";
const MANY_TABS = 100;
const RENEW_EVERY_MS = 10_000;
/** Lease in ms, longer than any run. */
const LEASE_MS = 3_600_000;
const SETTLE_MS = 6000;

/**
 * Commands per second on Lockkeeper's connections: while nothing changes, with different numbers of tabs, and while
 * other clients renew locks.
 */
export const idle: Experiment = {
  figures: [IDLE, RENEWING],
  async measure(run) {
    await run.part([IDLE], async () => [await measureIdle(run)]);
    await run.part([RENEWING], async () => [await measureRenewing(run)]);
    return [];
  },
};

async function measureIdle(run: Run): Promise<Line> {
  const quick = run.effort === "quick";
  const [locks, rounds, windowMs] = quick ? [200, 1, 2000] : [1000, 3, 20_000];
  const server = await startWithoutPages(run);
  await startRenewing(run, server.redisUrl, { locks, everyMs: 0 });
  const tabs = await Tabs.start(run, server.target);
  await sleep(quick ? 0 : SETTLE_MS);
  const results = await interleave({
    contenders: [
      { name: "ours", tabs: MANY_TABS },
      { name: "one-tab", tabs: 1 },
    ],
    rounds,
    onProgress: reportProgress,
    measure: async (contender) => {
      await tabs.open(listViews(contender.tabs));
      const sent = await measureSent(server.inspector, windowMs);
      await tabs.close();
      return sent;
    },
  });
  const { ours, vs, theirs } = compareMedians(results, computeRate);
  return {
    ...{ figure: IDLE, unit: "commands/s", ours, vs },
    conditions: {
      ...(await readMachineFacts(server.inspector, run.effort)),
      ...{ theirs, tabs: MANY_TABS, locks, rounds, windowMs },
      ...describeSent(results.get("ours")?.at(-1)),
      method: `Commands of Lockkeeper's connections in the output of MONITOR, without commands inside scripts. one-tab: the same with one tab. ${locks} locks are held and nothing changes. Lower is better`,
    },
  };
}

async function measureRenewing(run: Run): Promise<Line> {
  const quick = run.effort === "quick";
  const [locks, windowMs] = quick ? [200, 2000] : [2000, 30_000];
  const server = await startWithoutPages(run);
  const changes = await startRenewing(run, server.redisUrl, { locks, everyMs: RENEW_EVERY_MS });
  const tabs = await Tabs.start(run, server.target);
  await tabs.open(listViews(1));
  // Skips the first renewals, in which liveness is assessed for the first time.
  await sleep(quick ? 500 : 2 * RENEW_EVERY_MS);
  const before = await sendRequest<ChangesResponse>(changes, { do: "report" });
  const sent = await measureSent(server.inspector, windowMs);
  const after = await sendRequest<ChangesResponse>(changes, { do: "report" });
  return {
    ...{ figure: RENEWING, unit: "commands/s a lock", ours: roundValue(computeRate(sent) / locks), vs: {} },
    conditions: {
      ...(await readMachineFacts(server.inspector, run.effort)),
      ...{ tabs: 1, locks, renewedEveryMs: RENEW_EVERY_MS, windowMs },
      renewalsPerSecond: roundValue((after.changes - before.changes) / (after.seconds - before.seconds)),
      failed: after.failed,
      ...describeSent(sent),
      method:
        "Commands of Lockkeeper's connections in the output of MONITOR, without commands inside scripts. Other clients renew half of the locks with Lockkeeper's core and half with PEXPIRE. One read per renewal is 0.1. Lower is better",
    },
  };
}

/**
 * Starts a process that holds locks and renews them if `everyMs` is not 0. Half of the locks are held with Lockkeeper's
 * core and half as tokens in strings.
 */
async function startRenewing(
  run: Run,
  url: string,
  what: { locks: number; everyMs: number },
): Promise<ChildProcess> {
  const changes = await startChild(run, "changes.ts", [url]);
  const words: ChangesRequest = { do: "keep", leaseMs: LEASE_MS, ...what };
  await sendRequest<ChangesResponse>(changes, words);
  return changes;
}

const computeRate = ({ commands, seconds }: Sent) => commands / seconds;

function describeSent(sent: Sent | undefined) {
  if (sent === undefined) return {};
  const { seconds, byConnection, byCommand } = sent;
  const rates = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, roundValue(count / seconds)]));
  return { byConnection: rates(byConnection), byCommand: rates(byCommand) };
}
