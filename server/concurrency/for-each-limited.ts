import { Semaphore } from "./semaphore.ts";

/**
 * Maximum number of items in progress across all bulk requests. A larger number would delay the lock requests of
 * applications, which use the same connection.
 */
const CONCURRENCY_MAX = 8;
const semaphore = new Semaphore(CONCURRENCY_MAX);

/** The client that receives the results of a bulk request. */
export interface ResultListener {
  /** Whether the client has disconnected. */
  readonly isGone: boolean;
  /** Resolves when the client can receive more results or has disconnected. */
  waitUntilReady(): Promise<void>;
}

/**
 * Runs a function for each item, for at most 8 items at a time across all callers. Items that have started always
 * complete. No item starts after the listener has disconnected.
 *
 * @param run must not throw
 * @returns the number of items that have started. These are always the first items in `items`
 */
export async function forEachLimited<Item>(
  items: readonly Item[],
  listener: ResultListener,
  run: (item: Item, index: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  const next = async () => {
    // Waits before acquiring the semaphore, so that a client that does not read its results cannot block other clients.
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

/**
 * Runs a function for each item, one after the other, until the listener disconnects. Intended for work that does not
 * use Redis, because the limit of `forEachLimited` does not apply.
 *
 * @returns the number of items that have started. These are always the first items in `items`
 */
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
