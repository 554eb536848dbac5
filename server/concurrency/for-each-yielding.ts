import { setImmediate } from "node:timers/promises";
import { startCpuTimer } from "./cpu-timer.ts";
import { SYSTEM_OWNER, type TaskOwner } from "./task-owner.ts";

/** How long a task runs before the event loop handles other events, in ms. */
const SLICE_MS = 4;
/**
 * Limits on the pause between two slices. The pause ends when the first limit is reached. `turns`: with a slice in
 * every turn of the event loop, a burst of connections would be accepted at one connection per slice. `ms`: slices
 * continue even if every turn is long.
 */
const REST_MAX = { turns: 8, ms: 16 };
/** Number of items after which the clock is read. */
const CLOCK_CHECK_EVERY = 8;

interface Task {
  readonly owner: TaskOwner;
  /** @returns whether the task has ended */
  runSlice(): boolean;
}

/** Tasks by the id of their owner. The owners take turns: the one whose task runs next comes first. */
const tasksByOwner = new Map<string, Task[]>();
let isRunning = false;

/**
 * Calls `take` with each item without blocking the event loop: in slices of 4 ms, which together get a fifth of the
 * time of a busy event loop, regardless of the number of tasks. Owners take turns; a task starts when the previous task
 * of its owner has ended.
 *
 * @param items its iterator is created when the task begins
 */
export function forEachYielding<Item>(
  items: Iterable<Item>,
  take: (item: Item) => void,
  owner: TaskOwner = SYSTEM_OWNER,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let iterator: Iterator<Item> | undefined;
    const runSlice = () => {
      try {
        iterator ??= items[Symbol.iterator]();
        if (!takeSlice(iterator, take)) return false;
        resolve();
      } catch (error) {
        reject(error);
      }
      return true;
    };
    const tasks = tasksByOwner.get(owner.id) ?? [];
    tasks.push({ owner, runSlice });
    tasksByOwner.set(owner.id, tasks);
    if (!isRunning) void runTasks();
  });
}

/** Runs indivisible synchronous work as a task of its owner, in one slice. */
export function runYielding<Result>(work: () => Result, owner: TaskOwner): Promise<Awaited<Result>> {
  return new Promise((resolve, reject) => {
    // A promise that the work returns does not delay other tasks.
    const run = () => resolve(work() as Awaited<Result>);
    forEachYielding([run], () => run(), owner).catch(reject);
  });
}

/**
 * Runs one slice.
 * @returns whether there are no more items
 */
function takeSlice<Item>(iterator: Iterator<Item>, take: (item: Item) => void): boolean {
  const endsAt = performance.now() + SLICE_MS;
  for (let count = 1; ; count++) {
    const next = iterator.next();
    if (next.done === true) return true;
    take(next.value);
    if (count % CLOCK_CHECK_EVERY === 0 && performance.now() >= endsAt) return false;
  }
}

async function rest(): Promise<void> {
  const endsAt = performance.now() + REST_MAX.ms;
  let turns = 0;
  do await setImmediate();
  while (++turns < REST_MAX.turns && performance.now() < endsAt);
}

async function runTasks(): Promise<void> {
  isRunning = true;
  for (;;) {
    await rest();
    const next = tasksByOwner.entries().next();
    if (next.done === true) break;
    const [id, tasks] = next.value;
    const [task] = tasks;
    const readCpuMs = startCpuTimer();
    if (task === undefined || task.runSlice()) tasks.shift();
    task?.owner.charge(readCpuMs());
    tasksByOwner.delete(id);
    if (tasks.length > 0) tasksByOwner.set(id, tasks);
  }
  isRunning = false;
}
