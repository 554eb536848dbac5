import { setTimeout as sleep } from "node:timers/promises";
import type { LockClient } from "../../server/locks/client/lock-client.ts";
import type { TestServer } from "../support/test-server.ts";

const LEASE_MS = 30_000;
const WORK_MS_MAX = 5;
const REFUSABLE_SHARE = 0.9;

export interface WorkerOptions {
  readonly server: TestServer;
  readonly client: LockClient;
  readonly keys: readonly string[];
  /** Maximum time of each wait, in ms. */
  readonly waitMs: number;
  /** Whether all workers acquire locks in the same order, so that no deadlock can occur. */
  readonly isOrdered: boolean;
  /** Returns the owner label of a wait. */
  formatOwner(worker: number, isRefusable: boolean): string;
}

/** The outcome of a round. `unknown`: Redis did not reply in time, which can happen on a busy machine. */
export type Outcome = "done" | "deadlock" | "timeout" | "unknown";

interface Round {
  readonly first: string;
  readonly second: string;
  readonly owner: string;
  readonly onDeadlock: "refuse" | "report";
}

/**
 * Acquires two locks, one inside the other, and releases them. Workers with an odd number use the HTTP API, and the
 * others use the library. Most waits, chosen at random, request to be refused on a deadlock.
 */
export async function runRound(options: WorkerOptions, worker: number): Promise<Outcome> {
  const [first = "", second = ""] = chooseKeys(options);
  const isRefusable = Math.random() < REFUSABLE_SHARE;
  const owner = options.formatOwner(worker, isRefusable);
  const round: Round = { first, second, owner, onDeadlock: isRefusable ? "refuse" : "report" };
  return worker % 2 === 0 ? await runInLibrary(options, round) : await runOverHttp(options, round);
}

function chooseKeys({ keys, isOrdered }: WorkerOptions): string[] {
  const at = Math.floor(Math.random() * keys.length);
  const other = (at + 1 + Math.floor(Math.random() * (keys.length - 1))) % keys.length;
  const chosen = isOrdered ? [at, other].sort((one, two) => one - two) : [at, other];
  return chosen.map((each) => keys[each] ?? "");
}

async function runInLibrary({ client, waitMs }: WorkerOptions, round: Round): Promise<Outcome> {
  const { first, second, owner, onDeadlock } = round;
  try {
    return await client.withLock(first, { owner, leaseMs: LEASE_MS, waitMs }, async () => {
      const options = { owner, leaseMs: LEASE_MS, waitMs, onDeadlock };
      return await client.withLock(second, options, async () => {
        await work();
        return "done" as const;
      });
    });
  } catch (error) {
    return toOutcome(error instanceof Error ? Reflect.get(error, "code") : undefined, error);
  }
}

async function runOverHttp({ server, waitMs }: WorkerOptions, round: Round): Promise<Outcome> {
  const { first, second, owner, onDeadlock } = round;
  const acquire = (key: string, more: object = {}) =>
    server.call(`/locks/${key}/acquire`, { body: { owner, leaseMs: LEASE_MS, waitMs, ...more } });
  const outer = await acquire(first);
  if (outer.status !== 201) return toOutcome(outer.body.code, outer.body);
  const inner = await acquire(second, { holding: [outer.body.holdId], onDeadlock });
  if (inner.status === 201) {
    await work();
    await server.callHold(inner.body, "release");
  }
  await server.callHold(outer.body, "release");
  return inner.status === 201 ? "done" : toOutcome(inner.body.code, inner.body);
}

function toOutcome(code: unknown, error: unknown): Outcome {
  if (code === "deadlock" || code === "timeout") return code;
  if (code === "unknown_outcome" || code === "unavailable") return "unknown";
  throw new Error(`A worker got ${JSON.stringify(error)}`, { cause: error });
}

const work = () => sleep(1 + Math.random() * (WORK_MS_MAX - 1));
