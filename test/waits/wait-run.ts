import { setTimeout as sleep } from "node:timers/promises";
import { Waits } from "../../lib/contract/waits/waits.ts";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { createBearerHeader, ROOT_KEY, startTestServer, type TestServer } from "../support/test-server.ts";
import { type Outcome, runRound, type WorkerOptions } from "./nested-workers.ts";

const WORKERS = 50;
const LOCKS = 10;
const POLL_MS = 100;
const REFUSABLE = "refuses";

export interface WaitRunResult {
  readonly rounds: Readonly<Record<Outcome, number>>;
  /** Maximum number of clients that waited at the same time. */
  readonly waitingMax: number;
  /** Number of deadlocks that the server found. */
  readonly deadlocks: number;
  /**
   * Maximum age of a reported deadlock that includes a wait with `refuse`, in milliseconds since its last wait began.
   */
  readonly refusableLastedMs: number;
}

export interface WaitRunOptions {
  readonly seconds: number;
  /**
   * `ordered`: all workers have the same owner label and acquire locks in the same order. `random`: workers have
   * different owner labels and acquire locks in random order.
   */
  readonly order: "ordered" | "random";
  readonly waitMs: number;
}

/**
 * Runs 50 workers that hold one lock while they wait for another, half with the library and half over HTTP, and polls
 * the wait graph.
 */
export async function runWaits({ seconds, order, waitMs }: WaitRunOptions): Promise<WaitRunResult> {
  const server = await startTestServer({
    environment: { LOCKKEEPER_RATE_LIMIT: "off" },
  });
  const client = await LockClient.open(server.redis.url);
  const options: WorkerOptions = {
    ...{ server, client, waitMs },
    keys: Array.from({ length: LOCKS }, (_, at) => `lock:nested:${at}`),
    isOrdered: order === "ordered",
    formatOwner: (worker, isRefusable) =>
      order === "ordered" ? "worker" : `worker-${worker}-${isRefusable ? REFUSABLE : "reports"}`,
  };
  const rounds: Record<Outcome, number> = { done: 0, deadlock: 0, timeout: 0, unknown: 0 };
  const until = performance.now() + seconds * 1000;
  const work = async (worker: number) => {
    while (performance.now() < until) rounds[await runRound(options, worker)]++;
  };
  try {
    const workers = Promise.all(Array.from({ length: WORKERS }, (_, at) => work(at)));
    const seen = { waitingMax: 0, refusableLastedMs: 0 };
    let areDone = false;
    const ended = workers.finally(() => {
      areDone = true;
    });
    ended.catch(() => undefined);
    while (!areDone) {
      await poll(server, seen);
      await sleep(POLL_MS);
    }
    await ended;
    return { rounds, ...seen, deadlocks: await readDeadlockCount(server) };
  } finally {
    client.close();
    await server.stop();
  }
}

async function poll(
  server: TestServer,
  seen: { waitingMax: number; refusableLastedMs: number },
): Promise<void> {
  const { status, body } = await server.call("/waits");
  // The server responds with 503 if no probe of Redis has succeeded for 1.5 s, for example on a busy machine.
  if (status === 503) return;
  const { waiting, deadlocks, asOf } = Waits.parse(body);
  seen.waitingMax = Math.max(seen.waitingMax, waiting);
  for (const { cycle, since } of deadlocks) {
    if (!cycle.some(({ owner }) => owner?.endsWith(REFUSABLE))) continue;
    seen.refusableLastedMs = Math.max(seen.refusableLastedMs, asOf - since);
  }
}

async function readDeadlockCount(server: TestServer): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: createBearerHeader(ROOT_KEY) });
  const text = await response.text();
  const [, count] = /^lockkeeper_deadlocks_total\{[^}]*\} (\d+)/m.exec(text) ?? [];
  if (count === undefined) throw new Error("The metrics do not contain lockkeeper_deadlocks_total.");
  return Number(count);
}
