import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "../contender.ts";
import { getMonotonicMs } from "../core/hand-off-messages.ts";
import type { ContendedRequest, HoldTimes } from "./messages.ts";

/** Runs workers that repeatedly acquire the lock, hold it for `workMs` and release it, until `forMs` have passed. */
export async function contend(
  contender: Contender,
  { key, workers, forMs, workMs }: Pick<ContendedRequest, "key" | "workers" | "forMs" | "workMs">,
): Promise<HoldTimes[][]> {
  const until = getMonotonicMs() + forMs;
  const work = async () => {
    const holds: HoldTimes[] = [];
    for (let asked = getMonotonicMs(); asked < until; asked = getMonotonicMs()) {
      const release = await contender.acquire(key);
      const granted = getMonotonicMs();
      await sleep(workMs);
      const released = getMonotonicMs();
      await release();
      holds.push([asked, granted, released]);
    }
    return holds;
  };
  return await Promise.all(Array.from({ length: workers }, work));
}
