import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { type Contender, LEASE_MS } from "../contender.ts";
import type { Experiment } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { readInfo } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { startRedis } from "../servers.ts";
import { listSettings } from "./contenders.ts";
import { openOurs } from "./ours.ts";
import { openRaw } from "./raw.ts";

const FIGURE = "core.redis.bytes";
const IN_FLIGHT = 64;

/**
 * Memory of a held lock in Redis, including its companion keys, minus the memory of the string in the simplest lock.
 */
export const memory: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, inspector } = await startRedis(run, "");
    const contenders = [await openOurs(url), await openRaw(url)] as const;
    for (const contender of contenders) run.defer(() => contender.close());
    const locks = run.effort === "quick" ? 2000 : 10_000;
    const [held, plain] = [
      await measureBytesPerLock(inspector, contenders[0], locks),
      await measureBytesPerLock(inspector, contenders[1], locks),
    ];
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      locks,
      heldBytes: roundValue(held.bytes),
      plainBytes: roundValue(plain.bytes),
      memoryUsageByKey: held.byKey,
      method: "Growth of used_memory per lock, each with one request and no owner record. Lower is better",
      ...listSettings(contenders),
    };
    return [
      { figure: FIGURE, unit: "bytes/lock", ours: roundValue(held.bytes - plain.bytes), vs: {}, conditions },
    ];
  },
};

interface MemoryUse {
  readonly bytes: number;
  /** Bytes according to MEMORY USAGE, for each key of one lock. */
  readonly byKey: Readonly<Record<string, number>>;
}

async function measureBytesPerLock(
  inspector: Redis,
  contender: Contender,
  locks: number,
): Promise<MemoryUse> {
  await (await contender.acquire("lock:bench:warm"))();
  await inspector.flushall();
  const before = await readSettledMemory(inspector);
  await acquireAll(contender, locks);
  const bytes = ((await readSettledMemory(inspector)) - before) / locks;
  const names = await inspector.keys("*lock:bench:0000007*");
  const byKey: Record<string, number> = {};
  for (const name of names) byKey[name] = Number(await inspector.memory("USAGE", name, "SAMPLES", 0));
  await inspector.flushall();
  return { bytes, byKey };
}

/** Acquires locks with names of the same length, so that each lock uses the same amount of memory. */
async function acquireAll(contender: Contender, locks: number): Promise<void> {
  let taken = 0;
  const work = async () => {
    while (taken < locks) await contender.acquire(`lock:bench:${String(taken++).padStart(7, "0")}`);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

/** Reads `used_memory` once it is stable, because Redis rehashes its hash tables after they have grown. */
async function readSettledMemory(inspector: Redis): Promise<number> {
  let last = Number.NaN;
  const deadline = performance.now() + LEASE_MS / 6;
  while (performance.now() < deadline) {
    const now = Number((await readInfo(inspector, "memory")).used_memory);
    if (Math.abs(now - last) < 1024) return now;
    last = now;
    await sleep(250);
  }
  return last;
}
