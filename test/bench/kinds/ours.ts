import { isSemaphoreKind, type WritableKind } from "../../../lib/contract/format.ts";
import type { Grant } from "../../../server/locks/verbs/contract/grant.ts";
import type { AcquireOptions } from "../../../server/locks/verbs/contract/verbs.ts";
import { sendRequest, startChild } from "../child.ts";
import { LEASE_MS } from "../contender.ts";
import { getMonotonicMs } from "../core/hand-off-messages.ts";
import { type Core, openCore } from "../core/ours.ts";
import type { Run } from "../figure.ts";
import type { BenchKind, Holder, KindsContender, PairsPlan, Waiter } from "./contender.ts";

/** Maximum wait in ms, longer than any wait in the benchmark. */
const WAIT_MS = 60_000;
const PREPARED_AT_ONCE = 16;

/** Opens the contender for Lockkeeper. This process holds locks, and a child process waits for them. */
export async function openOurKinds(run: Run, url: string): Promise<KindsContender> {
  const core = await openCore(url);
  run.defer(() => core.close());
  const child = await startChild(run, "kinds-waiter.ts", [url]);
  const waiter: Waiter = {
    wait: async (kind, key) => (await sendRequest<{ ms: number }>(child, { kind, key })).ms,
  };
  const settings = `Locks.acquire and release on one connection, owner label given, leaseMs ${LEASE_MS}`;
  return { name: "ours", settings, waiter, ...createHolder(core) };
}

function createHolder({ locks }: Core): Holder {
  const held = new Map<string, Grant>();
  return {
    async prepare({ kind, prefix, names, limit }) {
      // Plain semaphores are created by the first acquire.
      if (kind !== "semaphore") return;
      let next = 0;
      const work = async () => {
        while (next < names) await locks.setLimit(`${prefix}:${next++}`, limit);
      };
      await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, work));
    },
    runPairs: (plan) => runPairs(locks, plan),
    async hold(kind, key) {
      if (kind === "latch") await locks.latches.trySetCount(key, 1);
      else held.set(key, (await locks.acquire(key, createOptions(kind, 1))).grant);
    },
    async release(kind, key) {
      const from = getMonotonicMs();
      const grant = held.get(key);
      if (kind === "latch") await locks.latches.countDown(key);
      else if (grant !== undefined) await locks.release(grant);
      held.delete(key);
      return from;
    },
  };
}

async function runPairs(locks: Core["locks"], { kind, prefix, names, inFlight, forMs, limit }: PairsPlan) {
  const options = createOptions(kind, limit);
  const cpu = process.cpuUsage();
  const from = performance.now();
  let started = 0;
  const work = async () => {
    while (performance.now() - from < forMs) {
      const { grant } = await locks.acquire(`${prefix}:${started++ % names}`, options);
      await locks.release(grant);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  return { pairs: started, ms, cpuMicros: user + system };
}

/**
 * Waits until a lock is granted or a latch opens.
 *
 * @returns the time of the grant or wake-up, in ms on a clock that all processes share
 */
export async function waitOnce({ locks }: Core, kind: BenchKind, key: string): Promise<number> {
  if (kind === "latch") {
    await locks.latches.wait(key, { waitMs: WAIT_MS });
    return getMonotonicMs();
  }
  const { grant } = await locks.acquire(key, { ...createOptions(kind, 1), waitMs: WAIT_MS });
  const at = getMonotonicMs();
  await locks.release(grant);
  return at;
}

function createOptions(kind: WritableKind, limit: number): AcquireOptions {
  const options = { owner: "checkout@pod-7:311", leaseMs: LEASE_MS, kind };
  return isSemaphoreKind(kind) ? { ...options, permits: 1, limit } : options;
}
