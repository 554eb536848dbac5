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
/** Longer than any run. */
const LEASE_MS = 3_600_000;
const SETTLE_MS = 6000;

/** Commands on Lockkeeper's connections: while nothing changes, by the number of tabs, and while locks are renewed. */
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
      counting: `MONITOR, by the names of our connections; what scripts call is not counted. one-tab: the same with one. ${locks} locks are held and nothing changes. Less is better`,
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
  // Liveness is first assessed in the first rounds of renewals.
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
      counting:
        "MONITOR, by the names of our connections; what scripts call is not counted. Others renew, half of the locks by our core and half by PEXPIRE: one look a renewal is 0.1. Less is better",
    },
  };
}

/** Holds locks of other clients: half with Lockkeeper's core, half as a token in a string. */
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
