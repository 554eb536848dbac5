import { setImmediate } from "node:timers/promises";

/** For how long it goes on before others have their turn, in ms. */
const SLICE_MS = 4;
/** The clock is looked at after so many. */
const CLOCK_CHECK_EVERY = 64;

/** Shares of several walks in one turn of the loop would be one long step: a walk begins when the one before has ended. */
let previousRun: Promise<void> = Promise.resolve();

/** Goes through many things without holding up the event loop; few of them are done at once. */
export function forEachYielding<Item>(items: Iterable<Item>, take: (item: Item) => void): Promise<void> {
  const run = previousRun.then(() => runYielding(items, take));
  previousRun = run.catch(() => undefined);
  return run;
}

async function runYielding<Item>(items: Iterable<Item>, take: (item: Item) => void): Promise<void> {
  let begunAt = performance.now();
  let count = 0;
  for (const item of items) {
    take(item);
    if (++count % CLOCK_CHECK_EVERY !== 0 || performance.now() - begunAt < SLICE_MS) continue;
    await setImmediate();
    begunAt = performance.now();
  }
}
