import type { Redis } from "ioredis";
import type { Experiment } from "../figure.ts";
import { machineFacts } from "../machine.ts";
import { progress } from "../progress.ts";
import { startRedis } from "../servers.ts";
import { settingsOf } from "./contenders.ts";
import { ours } from "./ours.ts";

const FIGURE = "core.redis.leftover";
const IDLE_MS = 15 * 60 * 1000;
const IN_FLIGHT = 64;

/** Keys that stay for more than a quarter of an hour after names that were used once. */
export const leftover: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, look } = await startRedis(run, "");
    const contender = await ours(url);
    run.later(() => contender.close());
    const names = run.effort === "quick" ? 3000 : 100_000;
    progress(`${names} names`);
    await takeOnce(contender.acquire, names);
    const left = await ttlsOf(look);
    const stay = left.filter((ttlMs) => ttlMs < 0 || ttlMs > IDLE_MS).length;
    const conditions = {
      ...(await machineFacts(look, run.effort)),
      names,
      idleMs: IDLE_MS,
      keysAtOnce: left.length,
      ttlMsMax: Math.max(...left),
      withoutTtl: left.filter((ttlMs) => ttlMs < 0).length,
      counting:
        "the idle time was not waited for: every key in Redis was asked for its PTTL right after the last name, and one that has none or more than idleMs counts",
      ...settingsOf([contender]),
    };
    return [{ figure: FIGURE, unit: "keys", ours: stay, vs: {}, conditions }];
  },
};

async function takeOnce(acquire: (key: string) => Promise<() => Promise<unknown>>, names: number) {
  let used = 0;
  const work = async () => {
    while (used < names) await (await acquire(`lock:bench:once:${used++}`))();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

async function* keysOf(look: Redis): AsyncGenerator<string[]> {
  for await (const keys of look.scanStream({ count: 1000 })) yield keys as string[];
}

async function ttlsOf(look: Redis): Promise<number[]> {
  const ttls = new Map<string, number>();
  for await (const keys of keysOf(look)) {
    const found = await Promise.all(keys.map((key) => look.pttl(key)));
    for (const [index, key] of keys.entries()) ttls.set(key, found[index] ?? -1);
  }
  return [...ttls.values()];
}
