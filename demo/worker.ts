import { setTimeout as sleep } from "node:timers/promises";
import { LockApi } from "./lock-api.ts";
import { Shop } from "./shop.ts";

export interface Worker {
  readonly locks: LockApi;
  readonly shop: Shop;
  /** Returns the owner string of a client in this process. */
  owner(client: number | string): string;
}

/** Opens the connections of a worker process. */
export function openWorker(service: string): Worker {
  const { DEMO_API_URL = "", DEMO_API_KEY = "", DEMO_REDIS_URL = "" } = process.env;
  return {
    locks: new LockApi(DEMO_API_URL, DEMO_API_KEY, service),
    shop: new Shop(DEMO_REDIS_URL),
    owner: (client) => `${service}@${process.pid}:${client}`,
  };
}

/** Repeats the work. If it fails, prints the error and retries after a pause. */
export async function repeat(work: () => Promise<void>, pauseMs: () => number): Promise<never> {
  for (;;) {
    try {
      await work();
      await sleep(pauseMs());
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      await sleep(2000);
    }
  }
}

export function pickBetween(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

export function isChosen(share: number): boolean {
  return Math.random() < share;
}
