import { Semaphore } from "./semaphore.ts";

/** Of all requests for several locks together: verbs of apps go over the same connection. */
const CONCURRENCY_MAX = 8;
const semaphore = new Semaphore(CONCURRENCY_MAX);

/** Whoever it is done for. */
export interface ResultListener {
  /** Nobody listens any more. */
  readonly isGone: boolean;
  /** Resolves when it can be told more, or is gone. */
  waitUntilReady(): Promise<void>;
}

/**
 * Does something with each item, a few at a time. What has begun is always brought to its end; nothing is begun after
 * the listener has gone.
 *
 * @param run must not throw
 * @returns how many were begun
 */
export async function forEachLimited<Item>(
  items: readonly Item[],
  listener: ResultListener,
  run: (item: Item, index: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  const next = async () => {
    // Before a turn is taken: one who does not read keeps others from theirs otherwise.
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

/** The same in the order of the items, for what asks nothing of Redis. */
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
