import { Turns } from "./semaphore.ts";

/** Of all requests for several locks together: verbs of apps go over the same connection. */
const TURNS_MAX = 8;
const turns = new Turns(TURNS_MAX);

/** Whoever it is done for. */
export interface Listener {
  /** Nobody listens any more. */
  readonly isGone: boolean;
  /** Resolves when it can be told more, or is gone. */
  ready(): Promise<void>;
}

/**
 * Does something with each item, a few at a time. What has begun is always brought to its end; nothing is begun after
 * the listener has gone.
 *
 * @param run must not throw
 * @returns how many were begun
 */
export async function oneByOne<Item>(
  items: readonly Item[],
  listener: Listener,
  run: (item: Item, index: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  const next = async () => {
    // Before a turn is taken: one who does not read keeps others from theirs otherwise.
    await listener.ready();
    await turns.take();
    try {
      const item = items[begun];
      if (item !== undefined && !listener.isGone) await run(item, begun++);
    } finally {
      turns.give();
    }
  };
  const work = async () => {
    while (begun < items.length && !listener.isGone) await next();
  };
  await Promise.all(Array.from({ length: Math.min(TURNS_MAX, items.length) }, work));
  return begun;
}

/** The same in the order of the items, for what asks nothing of Redis. */
export async function inOrder<Item>(
  items: readonly Item[],
  listener: Listener,
  run: (item: Item, index: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  for (const item of items) {
    await listener.ready();
    if (listener.isGone) break;
    await run(item, begun++);
  }
  return begun;
}
