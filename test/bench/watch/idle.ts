import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, startChild } from "../child.ts";
import { type Experiment, type Line, type Run, rounded } from "../figure.ts";
import { onlooker } from "../http/node-servers.ts";
import { machineFacts } from "../machine.ts";
import { progress } from "../progress.ts";
import { compare, interleave } from "../rounds.ts";
import type { ChangesAsk, ChangesSay } from "./changes-words.ts";
import { type Sent, sentWithin } from "./sent.ts";
import { Tabs } from "./tabs.ts";
import { viewsOf } from "./views.ts";

const IDLE = "watch.idle";
const RENEWING = "watch.idle.renewing";
const MANY_TABS = 100;
const RENEW_EVERY_MS = 10_000;
/** Longer than any run. */
const LEASE_MS = 3_600_000;
const SETTLE_MS = 6000;

/** Commands on our connections: while nothing changes, by the number of tabs, and while locks are renewed. */
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
  const server = await onlooker(run);
  await keep(run, server.redisUrl, { locks, everyMs: 0 });
  const tabs = await Tabs.start(run, server.target);
  await sleep(quick ? 0 : SETTLE_MS);
  const results = await interleave({
    contenders: [
      { name: "ours", tabs: MANY_TABS },
      { name: "one-tab", tabs: 1 },
    ],
    rounds,
    onProgress: progress,
    measure: async (contender) => {
      await tabs.open(viewsOf(contender.tabs));
      const sent = await sentWithin(server.look, windowMs);
      await tabs.close();
      return sent;
    },
  });
  const { ours, vs, theirs } = compare(results, rateOf);
  return {
    ...{ figure: IDLE, unit: "commands/s", ours, vs },
    conditions: {
      ...(await machineFacts(server.look, run.effort)),
      ...{ theirs, tabs: MANY_TABS, locks, rounds, windowMs },
      ...factsOf(results.get("ours")?.at(-1)),
      counting: `MONITOR, by the names of our connections; what scripts call is not counted. one-tab: the same with one. ${locks} locks are held and nothing changes. Less is better`,
    },
  };
}

async function measureRenewing(run: Run): Promise<Line> {
  const quick = run.effort === "quick";
  const [locks, windowMs] = quick ? [200, 2000] : [2000, 30_000];
  const server = await onlooker(run);
  const changes = await keep(run, server.redisUrl, { locks, everyMs: RENEW_EVERY_MS });
  const tabs = await Tabs.start(run, server.target);
  await tabs.open(viewsOf(1));
  // The first verdicts are drawn in the first rounds of renewals.
  await sleep(quick ? 500 : 2 * RENEW_EVERY_MS);
  const before = await ask<ChangesSay>(changes, { do: "report" });
  const sent = await sentWithin(server.look, windowMs);
  const after = await ask<ChangesSay>(changes, { do: "report" });
  return {
    ...{ figure: RENEWING, unit: "commands/s a lock", ours: rounded(rateOf(sent) / locks), vs: {} },
    conditions: {
      ...(await machineFacts(server.look, run.effort)),
      ...{ tabs: 1, locks, renewedEveryMs: RENEW_EVERY_MS, windowMs },
      renewalsPerSecond: rounded((after.changes - before.changes) / (after.seconds - before.seconds)),
      failed: after.failed,
      ...factsOf(sent),
      counting:
        "MONITOR, by the names of our connections; what scripts call is not counted. Others renew, half of the locks by our core and half by PEXPIRE: one look a renewal is 0.1. Less is better",
    },
  };
}

/** Locks of others: half taken by our own core, half as a token in a string. */
async function keep(run: Run, url: string, what: { locks: number; everyMs: number }): Promise<ChildProcess> {
  const changes = await startChild(run, "changes.ts", [url]);
  const words: ChangesAsk = { do: "keep", leaseMs: LEASE_MS, ...what };
  await ask<ChangesSay>(changes, words);
  return changes;
}

const rateOf = ({ commands, seconds }: Sent) => commands / seconds;

function factsOf(sent: Sent | undefined) {
  if (sent === undefined) return {};
  const { seconds, byConnection, byCommand } = sent;
  const rates = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, rounded(count / seconds)]));
  return { byConnection: rates(byConnection), byCommand: rates(byCommand) };
}
