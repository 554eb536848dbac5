import { sendRequest, startChild } from "../child.ts";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import type { WatcherRequest, WatcherResponse } from "../processes/watcher.ts";
import { reportProgress } from "../progress.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { acquireLocks, WATCHED } from "./keyspace.ts";

/** Memory that a watcher uses per lock: index, deadlines and reported state. */
export const bytes: Experiment = {
  figures: ["watch.mirror.bytes.100k"],
  measure: async (run) => [
    await measureBytes(run, "watch.mirror.bytes.100k", run.effort === "quick" ? 2000 : 100_000),
  ],
};

/** The same with a million locks, and the duration of their first snapshot. Takes about three minutes. */
export const bytesOfMany: Experiment = {
  figures: ["watch.mirror.bytes.1m"],
  isOnDemand: true,
  measure: async (run) => [
    await measureBytes(run, "watch.mirror.bytes.1m", run.effort === "quick" ? 10_000 : 1_000_000),
  ],
};

async function measureBytes(run: Run, figure: string, locks: number): Promise<Line> {
  const { url, inspector: look } = await startRedis(run, EMBEDDED_FLAGS);
  reportProgress(`${locks} locks`);
  await acquireLocks(run, url, look, locks);
  const execArgv = ["--expose-gc", "--max-old-space-size=4096"];
  const watcher = await startChild(run, "watcher.ts", [url, WATCHED], { execArgv });
  const words: WatcherRequest = { do: "keep" };
  const said = await sendRequest<WatcherResponse>(watcher, words);
  if (said.locks !== locks) throw new Error(`The picture has ${said.locks} locks of ${locks}`);
  return {
    ...{ figure, unit: "bytes/lock", ours: roundValue((said.grewBytes ?? Number.NaN) / locks), vs: {} },
    conditions: {
      ...(await readMachineFacts(look, run.effort)),
      ...{ locks, firstPictureMs: roundValue(said.ms) },
      withEvents: roundValue((said.grewBytesWithEvents ?? Number.NaN) / locks),
      counting:
        "rise of heapUsed + external of a watcher's process by its first picture, each after collections: half the locks are Redisson's, half ours with fences. All that the watcher keeps of a lock, but for the events of its journal, which are kept by number and age and not by lock; withEvents: with these, 50 000 at most, one a lock. Less is better",
    },
  };
}
