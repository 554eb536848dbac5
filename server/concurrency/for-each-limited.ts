import { Semaphore } from "./semaphore.ts";

/**
 * Maximum number of items in progress over all bulk requests. Limited because the lock requests of applications share
 * the connection and would be delayed.
 */
const CONCURRENCY_MAX = 8;
const semaphore = new Semaphore(CONCURRENCY_MAX);

/** The recipient of the results. */
export interface ResultListener {
  /** Whether the recipient has disconnected. */
  readonly isGone: boolean;
  /** Resolves when the recipient can take more results, or has disconnected. */
  waitUntilReady(): Promise<void>;
}

/**
 * Runs a function for each item, at most 8 at a time across all callers. Started items always complete; none is
 * started after the listener has disconnected.
 *
 * @param run must not throw
 * @returns the number of items that were started
 */
export async function forEachLimited<Item>(
  items: readonly Item[],
  listener: ResultListener,
  run: (item: Item, index: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  const next = async () => {
    // Waits before acquiring the semaphore, so that a client that does not read cannot block the others.
    await listener.waitUntilReady();
    await semaphore.acquire();
    try {
      const item = items[begun];
      if (item !== undefined && !listener.isGone) await run(item, begun++);
    } finally {
      semaphore.release();
    }
  };
  const work = async () => {
    while (begun < items.length && !listener.isGone) await next();
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY_MAX, items.length) }, work));
  return begun;
}

/** Runs a function for each item in order, for work that does not use Redis. */
export async function forEachInOrder<Item>(
  items: readonly Item[],
  listener: ResultListener,
  run: (item: Item, index: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  for (const item of items) {
    await listener.waitUntilReady();
    if (listener.isGone) break;
    await run(item, begun++);
  }
  return begun;
}
