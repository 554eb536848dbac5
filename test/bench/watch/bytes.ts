import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import type { WatcherRequest, WatcherResponse } from "../processes/watcher.ts";
import { reportProgress } from "../progress.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { acquireLocks, WATCHED } from "./keyspace.ts";

/** Memory per lock in a watcher: its index, deadlines and reported state. Half of the locks are foreign. */
export const bytes: Experiment = {
  figures: ["watch.mirror.bytes.100k"],
  measure: async (run) => [
    await measureBytes(run, "watch.mirror.bytes.100k", run.effort === "quick" ? 2000 : 100_000),
  ],
};

/**
 * Memory per lock in a watcher with a million locks, and the duration of their first snapshot. Takes about three
 * minutes.
 */
export const bytesOfMany: Experiment = {
  figures: ["watch.mirror.bytes.1m"],
  isOnDemand: true,
  measure: async (run) => [
    await measureBytes(run, "watch.mirror.bytes.1m", run.effort === "quick" ? 10_000 : 1_000_000),
  ],
};

async function measureBytes(run: Run, figure: string, locks: number): Promise<Line> {
  const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
  reportProgress(`${locks} locks`);
  await acquireLocks(run, url, inspector, locks);
  const execArgv = ["--expose-gc", "--max-old-space-size=4096"];
  const watcher = await startChild(run, "watcher.ts", [url, WATCHED], { execArgv });
  const words: WatcherRequest = { do: "keep" };
  const retained = await sendRequest<WatcherResponse>(watcher, words);
  if (retained.locks !== locks)
    throw new Error(`The snapshot has ${retained.locks} locks instead of ${locks}`);
  return {
    ...{ figure, unit: "bytes/lock", ours: roundValue((retained.grewBytes ?? Number.NaN) / locks), vs: {} },
    conditions: {
      ...(await readMachineFacts(inspector, run.effort)),
      ...{ locks, firstSnapshotMs: roundValue(retained.ms) },
      withEvents: roundValue((retained.grewBytesWithEvents ?? Number.NaN) / locks),
      method:
        "Growth of heapUsed + external of the watcher's process by its first snapshot, after garbage collections. Half of the locks are Redisson's, half are Lockkeeper's with fencing tokens. Without the events in the journal, which is limited by number and age. withEvents: including one event per lock, at most 50,000. Lower is better",
    },
  };
}
