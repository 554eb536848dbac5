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
/**
 * Maximum time until an API server has exited, in milliseconds. The documented limit of an idle server is 2 s; the
 * remaining time is slack for a busy machine.
 */
const END_MS = 4000;

export interface RunOptions extends RunRequest {
  /** Folder that contains `server/locks`, either of the repository or of a mutant. */
  readonly core: string;
  /** Folder for the history. Files of an earlier run are removed. */
  readonly folder: string;
  /** Library that sets the wall clocks of servers. Without the library, faults that set clocks are omitted. */
  readonly library?: LibfaketimeTool | undefined;
}

/**
 * Maximum additional delay in milliseconds that a dead waiter causes for a fair lock, a semaphore, or readers that wait
 * for a writer. A dead waiter of a condition only delays its signal.
 */
const DEAD_WAITER_MS = 6000;

/**
 * Returns the duration of the period without faults at the end of a run, in milliseconds. In this time, a lease can
 * expire and each waiter can notice the expiry and acquire the lock.
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

/**
 * Creates the fault schedule of a run. Faults that require a missing library are removed after planning, so that the
 * other faults are the same on every machine.
 */
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

/** Runs workers and faults against new servers. @returns the history in chronological order */
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
  const slots = await ChaosProcesses.open({ ...options, folder, epochNs, resourcePort }, topology, resources);
  const apis = new ProcessGroup("api", slots.apis, journal);
  const workers = new ProcessGroup("worker", slots.workers, journal);
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
