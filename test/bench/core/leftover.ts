import type { Redis } from "ioredis";
import type { Experiment } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { startRedis } from "../servers.ts";
import { listSettings } from "./contenders.ts";
import { openOurs } from "./ours.ts";

const FIGURE = "core.redis.leftover";
const IDLE_MS = 15 * 60 * 1000;
const IN_FLIGHT = 64;

/** Number of keys that remain in Redis for more than 15 minutes after each of many lock names was used once. */
export const leftover: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, inspector } = await startRedis(run, "");
    const contender = await openOurs(url);
    run.defer(() => contender.close());
    const names = run.effort === "quick" ? 3000 : 100_000;
    reportProgress(`${names} names`);
    await acquireOnce(contender.acquire, names);
    const left = await readTtls(inspector);
    const stay = left.filter((ttlMs) => ttlMs < 0 || ttlMs > IDLE_MS).length;
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      names,
      idleMs: IDLE_MS,
      keysAtOnce: left.length,
      ttlMsMax: Math.max(...left),
      withoutTtl: left.filter((ttlMs) => ttlMs < 0).length,
      method:
        "Counts the keys that have no TTL or one longer than idleMs directly after the last name was used, instead of waiting for that time",
      ...listSettings([contender]),
    };
    return [{ figure: FIGURE, unit: "keys", ours: stay, vs: {}, conditions }];
  },
};

async function acquireOnce(acquire: (key: string) => Promise<() => Promise<unknown>>, names: number) {
  let used = 0;
  const work = async () => {
    while (used < names) await (await acquire(`lock:bench:once:${used++}`))();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

async function* scanKeys(inspector: Redis): AsyncGenerator<string[]> {
  for await (const keys of inspector.scanStream({ count: 1000 })) yield keys as string[];
}

async function readTtls(inspector: Redis): Promise<number[]> {
  const ttls = new Map<string, number>();
  for await (const keys of scanKeys(inspector)) {
    const found = await Promise.all(keys.map((key) => inspector.pttl(key)));
    for (const [index, key] of keys.entries()) ttls.set(key, found[index] ?? -1);
  }
  return [...ttls.values()];
}
