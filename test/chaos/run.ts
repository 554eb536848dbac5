import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { LibfaketimeTool } from "../interop/steps/libfaketime.ts";
import { ChaosProcesses, countTargets } from "./chaos-processes.ts";
import { getFault } from "./faults/catalog.ts";
import type { ChaosEnvironment, PlannedFault } from "./faults/fault.ts";
import { injectFaults } from "./faults/nemesis.ts";
import { createSchedule } from "./faults/schedule.ts";
import type { Entry } from "./history/entry.ts";
import { Journal } from "./history/journal.ts";
import { readHistory } from "./history/read.ts";
import { findLeftovers } from "./leftovers.ts";
import { listLocks } from "./locks-under-test.ts";
import { watchForMissingTtl } from "./missing-ttl.ts";
import { ProcessGroup } from "./processes/process-group.ts";
import { startResource } from "./processes/start-resource.ts";
import type { Resources } from "./resources.ts";
import type { RunRequest } from "./run-request.ts";
import { Topology } from "./servers/topology.ts";

export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const STOP_MS = 20_000;
/** Time limit to exit. An idle API server promises two seconds; the rest is for a busy machine. */
const END_MS = 4000;

export interface RunOptions extends RunRequest {
  /** The folder that contains `server/locks`. */
  readonly core: string;
  /** The folder of the history. Files of an earlier run are removed. */
  readonly folder: string;
  /** Sets the wall clocks of servers. Without it, faults that need it are left out. */
  readonly library?: LibfaketimeTool | undefined;
}

/**
 * Additional delay by a dead waiter: of a fair lock, of a semaphore, or of a writer that readers wait for. A waiter of a
 * condition only delays its signal.
 */
const DEAD_WAITER_MS = 6000;

/**
 * Returns how long no faults occur at the end of a run: enough for a lease to expire, waiters to notice it, and each of
 * them to acquire the lock.
 */
export function computeQuietMs({
  leaseMs,
  kinds,
  faults,
}: Pick<RunRequest, "leaseMs" | "kinds" | "faults">): number {
  const hasOrder = kinds.some((kind) => kind !== "lock" && kind !== "latch");
  const hasDeadWaiters = faults.some((name) => name === "kill-worker" || name === "restart-api");
  return 2 * leaseMs + 2000 + (hasOrder && hasDeadWaiters ? DEAD_WAITER_MS : 0);
}

/** Creates the schedule. Faults that are left out leave a gap, so that the others are the same on every machine. */
export function createRunSchedule(options: RunRequest & Pick<RunOptions, "library">): PlannedFault[] {
  const { topology, kinds, seed, seconds, faults, leaseMs, library } = options;
  const schedule = createSchedule({
    seed,
    forMs: Math.max(1000, seconds * 1000 - computeQuietMs({ leaseMs, kinds, faults })),
    faults: faults.map(getFault),
    targets: countTargets({ topology, kinds }),
    leaseMs,
  });
  return schedule.filter(({ stepMs }) => stepMs === 0 || library !== undefined);
}

/** Runs workers and faults against new servers. @returns the history, in order */
export async function run(options: RunOptions, resources: Resources): Promise<Entry[]> {
  const folder = join(options.folder, "history");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const epochNs = String(process.hrtime.bigint());
  const journal = new Journal(join(folder, "harness.jsonl"), epochNs, "harness");
  const hasSteps = createRunSchedule(options).some(({ stepMs }) => stepMs !== 0);
  const topology = await Topology.start(options.topology, hasSteps ? options.library : undefined);
  resources.defer(() => topology.stop());
  const resourcePort = await startResource(join(folder, "resource.jsonl"), epochNs, resources);
  const seats = await ChaosProcesses.open({ ...options, folder, epochNs, resourcePort }, topology, resources);
  const apis = new ProcessGroup("api", seats.apis, journal);
  const workers = new ProcessGroup("worker", seats.workers, journal);
  resources.defer(async () => await Promise.all([workers.killAll(), apis.killAll()]).then(() => undefined));
  await apis.startAll();
  await workers.startAll();
  journal.write({ op: "begun", type: "info", target: topology.name });
  const locks = listLocks(options.kinds, options.locks);
  await pass(options, { workers, apis, topology, locks }, journal);
  return readHistory(folder);
}

async function pass(options: RunOptions, stage: ChaosEnvironment, journal: Journal): Promise<void> {
  const schedule = createRunSchedule(options);
  const quiet = computeQuietMs(options);
  const workMs = Math.max(1000, options.seconds * 1000 - quiet);
  const stop = new AbortController();
  const watched = watchForMissingTtl(stage.topology, stage.locks, journal, stop.signal);
  await Promise.all([injectFaults(schedule, stage, journal), sleep(workMs)]);
  journal.write({ op: "calm", type: "info" });
  await sleep(quiet);
  const late = await stage.workers.stopAll(STOP_MS);
  if (late > 0) journal.write({ op: "died", type: "info", code: `${late} did not end within ${STOP_MS} ms` });
  await stage.apis.terminateAll(END_MS);
  stop.abort();
  await watched;
  journal.write({ op: "over", type: "info" });
  for (const { server, key, why } of await findLeftovers(stage.topology, options.leaseMs, stage.locks)) {
    journal.write({ op: "leftover", type: "info", target: `server ${server + 1}`, lock: key, code: why });
  }
}
