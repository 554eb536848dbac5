import { setImmediate } from "node:timers/promises";
import { startCpuTimer } from "./cpu-timer.ts";
import { SYSTEM_OWNER, type TaskOwner } from "./task-owner.ts";

/** Time in ms for which a task runs before the event loop handles other events. */
const SLICE_MS = 4;
/**
 * Limits on the pause between two slices, in turns of the event loop and in ms. The pause ends when either limit is
 * reached. The event loop accepts one connection per turn, so a slice in every turn would delay a burst of connections.
 * The limit in ms ensures that slices continue even if turns are long.
 */
const REST_MAX = { turns: 8, ms: 16 };
/** Number of items between two reads of the clock. */
const CLOCK_CHECK_EVERY = 8;

interface Task {
  readonly owner: TaskOwner;
  /** @returns whether the task is complete */
  runSlice(): boolean;
}

/** Tasks by owner id. Owners take turns: the first entry is the owner whose task runs next. */
const tasksByOwner = new Map<string, Task[]>();
let isRunning = false;

/**
 * Calls `take` with each item, in slices of 4 ms so that the event loop is not blocked. On a busy event loop, the
 * slices of all tasks together use at most a fifth of the time. Owners take turns. The tasks of one owner run one after
 * the other.
 *
 * @param items iterated lazily: the iterator is created when the task starts
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

/** Runs synchronous work that cannot be split, as a task of `owner` with a single slice. */
export function runYielding<Result>(work: () => Result, owner: TaskOwner): Promise<Awaited<Result>> {
  return new Promise((resolve, reject) => {
    // If the work returns a promise, other tasks do not wait for that promise.
    const run = () => resolve(work() as Awaited<Result>);
    forEachYielding([run], () => run(), owner).catch(reject);
  });
}

/**
 * Runs one slice of at least one item.
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
