import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { GapEvent, HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { LockClient } from "../locks/client/lock-client.ts";
import { classifyStep } from "./events/timeline-step.ts";

const WORKER = fileURLToPath(new URL("../../test/support/workers/history-instance.ts", import.meta.url));

interface ProcessReport {
  /** Whether the process currently observes all changes on the target. */
  readonly seesAll: boolean;
  readonly entries: HistoryEntry[];
  readonly isLeading: boolean;
  /** Number of times that the process may have missed changes, because the machine was too busy. */
  readonly breaks: number;
}

/** An instance that runs in a separate process. */
class Process {
  readonly #child: ChildProcess;

  constructor(target: TestRedis, home: TestRedis) {
    this.#child = fork(WORKER, [target.url, home.url], { execArgv: ["--import", "tsx"] });
  }

  async requestReport(): Promise<ProcessReport> {
    this.#child.send("tell");
    const [fact] = await once(this.#child, "message");
    return fact as ProcessReport;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}

/** Length in ms of the latest period that the workers do not declare recorded yet. */
const LAG_MS = 200;

/** Waits until an instance has recorded a new event. */
async function waitForGrowth(home: TestRedis): Promise<void> {
  const redis = home.createClient();
  const before = await redis.xlen("{lockkeeper}:events:main");
  await waitUntil(async () => (await redis.xlen("{lockkeeper}:events:main")) > before, 30_000);
  await sleep(LAG_MS * 2);
}

/** Waits until the instance observes the whole target, so that it can continue the history without a gap. */
async function waitUntilAllSeen(instance: Process): Promise<void> {
  await waitUntil(async () => (await instance.requestReport()).seesAll, 30_000);
  await sleep(LAG_MS * 2);
}

/** Waits until one of the instances is the recorder, and returns that instance. */
async function waitForLeader(instances: readonly Process[]): Promise<Process> {
  let leader: Process | undefined;
  await waitUntil(async () => {
    const facts = await Promise.all(instances.map((one) => one.requestReport()));
    leader = instances[facts.findIndex(({ isLeading }) => isLeading)];
    return leader !== undefined;
  }, 30_000);
  if (leader === undefined) throw new Error("nobody records");
  return leader;
}

/** Acquires and releases Lockkeeper locks and foreign locks until it is stopped. */
function startChurn(target: TestRedis, client: LockClient) {
  const made: string[] = [];
  const redis = target.createClient();
  let isRunning = true;
  const run = async () => {
    for (let n = 0; isRunning; n++) {
      const owner = `${made.length}-${n}`;
      const hold = await client.acquire(`lock:own:${n % 3}`, { owner, waitMs: 1000 });
      await redis.set(`lock:foreign:${n % 3}`, randomUUID(), "PX", 60_000);
      await sleep(40);
      await hold.release();
      await redis.del(`lock:foreign:${n % 3}`);
      await sleep(40);
      made.push(`begun ${hold.fence}`, `ended ${hold.fence}`);
    }
  };
  const running = run();
  return {
    async stop(): Promise<string[]> {
      isRunning = false;
      await running;
      return made;
    },
  };
}

const listChanges = (entries: readonly HistoryEntry[], prefix: string) =>
  entries
    .filter((entry): entry is LockEvent => !isGap(entry) && entry.key.startsWith(prefix))
    .map((entry) => `${classifyStep(entry)} ${entry.fence ?? `${entry.key} ${entry.owner}`}`);

const findDuplicates = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at);

/**
 * `target` is the Redis with the locks, and `home` the Redis with the history. `startProcess` starts an instance in a
 * separate process.
 */
const it = test
  .extend("target", { scope: "file" }, async ({}, { onCleanup }) => {
    const target = await startTestRedis();
    onCleanup(() => target.stop());
    return target;
  })
  .extend("home", { scope: "file" }, async ({}, { onCleanup }) => {
    const home = await startTestRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
    onCleanup(() => home.stop());
    return home;
  })
  .extend("client", { scope: "file" }, async ({ target }, { onCleanup }) => {
    const client = await LockClient.open(target.url);
    onCleanup(() => client.close());
    return client;
  })
  .extend("startProcess", ({ target, home }, { onCleanup }) => {
    const processes: Process[] = [];
    onCleanup(() => {
      for (const one of processes) one.signal("SIGKILL");
    });
    return () => {
      const one = new Process(target, home);
      processes.push(one);
      return one;
    };
  });

// The timeout is long, because starting processes takes a long time on a busy machine.
describe("two instances in separate processes", { timeout: 120_000 }, () => {
  it("two instances record each change once without gaps while recorder, store and the other instance fail in turn", async ({
    target,
    home,
    client,
    startProcess,
  }) => {
    const [first, second] = [startProcess(), startProcess()];
    const leader = await waitForLeader([first, second]);
    const other = leader === first ? second : first;
    const locks = startChurn(target, client);
    await waitUntilAllSeen(other);
    leader.signal("SIGSTOP");
    await waitForLeader([other]);
    await sleep(700);
    leader.signal("SIGCONT");
    await sleep(600);
    await waitUntilAllSeen(leader);
    const { breaks } = await leader.requestReport();
    await home.restart();
    await waitForGrowth(home);
    await waitForGrowth(home);
    // The remaining instance keeps its observations while there is no recorder.
    const missed = (await other.requestReport()).breaks;
    other.signal("SIGKILL");
    await waitForLeader([leader]);
    const made = await locks.stop();
    const isWhole = async () =>
      listChanges((await leader.requestReport()).entries, "lock:own").length >= made.length;
    await waitUntil(isWhole, 30_000).catch(() => undefined);
    let entries: HistoryEntry[] = [];
    // The last change to a foreign lock appears in the history with a delay, because the event is inferred.
    await waitUntil(async () => {
      entries = (await leader.requestReport()).entries;
      const stream = await home.createClient().xrange("{lockkeeper}:events:main", "-", "+");
      return JSON.stringify(stream.map(([id]) => id)) === JSON.stringify(entries.map(({ id }) => id));
    });
    expect(listChanges(entries, "lock:own")).toEqual(made);
    expect(findDuplicates(listChanges(entries, "lock:foreign"))).toEqual([]);
    expect(listChanges(entries, "lock:foreign").length).toBeGreaterThan(made.length / 2);
    const mayMiss = missed + (await leader.requestReport()).breaks - breaks;
    expect(entries.filter(isGap).length).toBeLessThanOrEqual(mayMiss);
    const gapsBefore = entries.filter(isGap).length;

    leader.signal("SIGKILL");
    const from = Date.now();
    const unseen = await client.acquire("lock:unseen", { owner: "nobody saw me" });
    await unseen.release();
    await sleep(500);
    const next = startProcess();
    await waitForLeader([next]);
    let report: HistoryEntry[] = [];
    await waitUntil(async () => {
      report = (await next.requestReport()).entries;
      return report.filter(isGap).length > gapsBefore;
    });
    expect(report.slice(0, entries.length)).toEqual(entries);
    const gaps = report.filter((entry): entry is GapEvent => isGap(entry)).slice(gapsBefore);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.from).toBeLessThanOrEqual(from);
    expect(gaps[0]?.to).toBeGreaterThanOrEqual(from + 500);
    expect(listChanges(report, "lock:unseen")).toEqual([]);
  });
});
