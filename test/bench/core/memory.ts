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

/** Memory of a held lock in Redis, all its keys together, beyond the string of the simplest unsafe lock. */
export const memory: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, inspector: look } = await startRedis(run, "");
    const contenders = [await openOurs(url), await openRaw(url)] as const;
    for (const contender of contenders) run.defer(() => contender.close());
    const locks = run.effort === "quick" ? 2000 : 10_000;
    const [held, plain] = [
      await measureBytesPerLock(look, contenders[0], locks),
      await measureBytesPerLock(look, contenders[1], locks),
    ];
    const conditions = {
      ...(await readMachineFacts(look, run.effort)),
      locks,
      heldBytes: roundValue(held.bytes),
      plainBytes: roundValue(plain.bytes),
      memoryUsageByKey: held.byKey,
      counting: "rise of used_memory by as many locks of one request each, no record; less is better",
      ...listSettings(contenders),
    };
    return [
      { figure: FIGURE, unit: "bytes/lock", ours: roundValue(held.bytes - plain.bytes), vs: {}, conditions },
    ];
  },
};

interface MemoryUse {
  readonly bytes: number;
  /** MEMORY USAGE of each key of one lock. */
  readonly byKey: Readonly<Record<string, number>>;
}

async function measureBytesPerLock(look: Redis, contender: Contender, locks: number): Promise<MemoryUse> {
  await (await contender.acquire("lock:bench:warm"))();
  await look.flushall();
  const before = await readSettledMemory(look);
  await acquireAll(contender, locks);
  const bytes = ((await readSettledMemory(look)) - before) / locks;
  const names = await look.keys("*lock:bench:0000007*");
  const byKey: Record<string, number> = {};
  for (const name of names) byKey[name] = Number(await look.memory("USAGE", name, "SAMPLES", 0));
  await look.flushall();
  return { bytes, byKey };
}

/** Acquires locks whose names have the same length, so that all take the same memory. */
async function acquireAll(contender: Contender, locks: number): Promise<void> {
  let taken = 0;
  const work = async () => {
    while (taken < locks) await contender.acquire(`lock:bench:${String(taken++).padStart(7, "0")}`);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

/** Reads the memory when it has settled, because Redis rehashes its tables after they have grown. */
async function readSettledMemory(look: Redis): Promise<number> {
  let last = Number.NaN;
  const deadline = performance.now() + LEASE_MS / 6;
  while (performance.now() < deadline) {
    const now = Number((await readInfo(look, "memory")).used_memory);
    if (Math.abs(now - last) < 1024) return now;
    last = now;
    await sleep(250);
  }
  return last;
}
