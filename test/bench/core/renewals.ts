import { setTimeout as sleep } from "node:timers/promises";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import { LEASE_MS } from "../contender.ts";
import type { Experiment } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { countCallsBetween, readCalls } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { startRedis } from "../servers.ts";

const FIGURE = "core.renew.10k";
const SCRIPT_CALLS = ["evalsha", "eval"];

/** Commands per second that Redis receives while one client renews 10,000 holds. */
export const renewals: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, inspector } = await startRedis(run, "");
    const client = await LockClient.open(url);
    run.defer(() => client.close());
    const quick = run.effort === "quick";
    const [holdCount, leaseMs, windowMs] = quick ? [1000, 3000, 3000] : [10_000, LEASE_MS, 60_000];
    const holds = await acquireAll(client, holdCount, leaseMs);
    // The first renewals come as close together as the acquires. The measurement starts after them.
    await sleep(leaseMs / 3);
    reportProgress(`${holdCount} holds for ${windowMs / 1000} s`);
    const before = await readCalls(inspector);
    const started = performance.now();
    await sleep(windowMs);
    const calls = countCallsBetween(before, await readCalls(inspector));
    const seconds = (performance.now() - started) / 1000;
    const sum = (names: Iterable<string>) =>
      [...names].reduce((all, name) => all + (calls.get(name) ?? 0), 0);
    const sent = sum(SCRIPT_CALLS) / seconds;
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      consoles: 0,
      holds: holdCount,
      leaseMs,
      windowMs,
      connections: 3,
      commandsWithInner: roundValue(sum(calls.keys()) / seconds),
      byCommand: Object.fromEntries(
        [...calls].sort().map(([name, count]) => [name, roundValue(count / seconds)]),
      ),
      stillHeld: holds.filter(({ state }) => state === "held").length,
      keysHeld: await inspector.exists(...holds.map(({ key }) => String(key))),
      method: "INFO commandstats. The client sends EVALSHA and EVAL; scripts call all other commands",
    };
    return [{ figure: FIGURE, unit: "commands/s", ours: roundValue(sent), vs: {}, conditions }];
  },
};

async function acquireAll(client: LockClient, count: number, leaseMs: number) {
  const holds: Awaited<ReturnType<LockClient["acquire"]>>[] = [];
  for (let at = 0; at < count; at += 100) {
    const keys = Array.from({ length: Math.min(100, count - at) }, (_, index) => `lock:bench:${at + index}`);
    holds.push(...(await Promise.all(keys.map((key) => client.acquire(key, { leaseMs })))));
  }
  return holds;
}
