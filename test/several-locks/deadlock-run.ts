import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";
import { forkProcess, waitUntilReady } from "../chaos/processes/fork.ts";
import type { CheckerPlan, CheckerReport } from "./checker.ts";
import { VIOLATIONS, type WorkerPlan, type WorkerReport } from "./plan.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const KEYS = Array.from({ length: 10 }, (_, at) => `lock:deadlock:${at}`);
const KEYS_EACH = 3;

export interface DeadlockRun {
  readonly core?: string;
  readonly locks: RedisLocation;
  /** URLs of the servers that store the locks. */
  readonly servers: readonly string[];
  /**
   * URL of the Redis server of the protected resource. If the locks are on a single server, it must be the same one.
   */
  readonly resource: string;
  readonly seconds: number;
  /** Time limit of a round in ms, as in `WorkerPlan`. */
  readonly waitMs: number;
  /** Number of processes. `workersEach` is the number of workers in each process. */
  readonly processes: number;
  readonly workersEach: number;
  /** Number of workers that acquire single locks, in an additional process. */
  readonly singles: number;
}

export interface DeadlockResult {
  readonly rounds: number;
  readonly singleRounds: number;
  /** Number of rounds of the worker with the fewest rounds. */
  readonly leastRounds: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly waitMaxMs: number;
  readonly snapshots: number;
  /** Violations that the checker or the resource detected, and errors of workers. */
  readonly faults: readonly string[];
}

/**
 * Runs workers that each acquire 3 of 10 locks in random order, while another process checks that no worker holds only
 * some of its locks. A deadlock causes a worker to time out.
 */
export async function runDeadlockAttempt(options: DeadlockRun): Promise<DeadlockResult> {
  const { core = PROJECT, locks, resource, seconds, waitMs, processes, workersEach, singles } = options;
  const shared = { core, locks, resource, keys: KEYS, seconds, waitMs };
  const plans: WorkerPlan[] = Array.from({ length: processes }, (_, at) => ({
    ...{ ...shared, keysEach: KEYS_EACH, workers: workersEach, name: `group${at}` },
  }));
  if (singles > 0) plans.push({ ...shared, keysEach: 1, workers: singles, name: "single" });
  const checkerPlan: CheckerPlan = { keys: KEYS, resource, servers: options.servers, keysEach: KEYS_EACH };
  const workers = plans.map((plan) => forkHere("worker.ts", plan));
  const checker = forkHere("checker.ts", checkerPlan);
  try {
    await Promise.all([...workers, checker].map(waitUntilReady));
    const reports = await Promise.all(workers.map((worker) => request<WorkerReport>(worker)));
    const checked = await request<CheckerReport>(checker);
    return await summarize(reports.slice(0, processes), reports[processes], checked, resource);
  } finally {
    for (const child of [...workers, checker]) child.kill("SIGKILL");
  }
}

function forkHere(file: string, plan: WorkerPlan | CheckerPlan): ChildProcess {
  return forkProcess(`../../several-locks/${file}`, [JSON.stringify(plan)]);
}

async function request<Report>(child: ChildProcess): Promise<Report> {
  const reply = once(child, "message");
  child.send("go");
  const [report] = await reply;
  return report as Report;
}

async function summarize(
  groups: readonly WorkerReport[],
  singles: WorkerReport | undefined,
  { snapshots, violations }: CheckerReport,
  resource: string,
): Promise<DeadlockResult> {
  const waits = groups.flatMap((report) => report.waits).sort((a, b) => a - b);
  const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
  const redis = new Redis(resource);
  const found = await redis.lrange(VIOLATIONS, 0, 19);
  redis.disconnect();
  const failures = [...groups, ...(singles === undefined ? [] : [singles])].flatMap(({ errors }) => errors);
  return {
    rounds: waits.length,
    singleRounds: singles?.rounds ?? 0,
    leastRounds: Math.min(...groups.map(({ leastRounds }) => leastRounds)),
    waitP50Ms: at(0.5),
    waitP99Ms: at(0.99),
    waitMaxMs: at(1),
    snapshots,
    faults: [...violations, ...found, ...failures],
  };
}
