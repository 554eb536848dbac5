import type { Page } from "@playwright/test";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { computeSpread } from "../statistics.ts";
import { type ConsoleSetup, openConsoleSetup, openLocks } from "./console-setup.ts";
import { LONG_MS, recordTasks, type Tasks } from "./tasks.ts";

const ROUNDS = { full: 7, quick: 1 };
const CHANGES_A_SECOND = { full: 200, quick: 50 };
const BUSY_CHANGES_PER_SECOND = { full: 2000, quick: 200 };
const BUSY_WATCH_MS = 8000;
const TYPED = "key:lock:orders:*7 held>1s";
const BETWEEN_KEYS_MS = 70;
const SETTLE_MS = 1000;
const WHEELS = 60;
const WHEEL_PX = 600;
const BETWEEN_WHEELS_MS = 30;
const JUMPS = 10;

/** Duration of the longest main-thread task while a user types letters into the filter. */
export const filterTasks = createLongTaskExperiment({
  figure: "ui.filter.longtask",
  locks: { full: 10_000, quick: 500 },
  work: typeFilter,
  method: `Longest main-thread task in the browser's trace while "${TYPED}" is typed, ${BETWEEN_KEYS_MS} ms between keys, and cleared again`,
});

/**
 * Duration of the longest main-thread task while a user scrolls a long list with the wheel, by pages and to both ends.
 */
export const scrollTasks = createLongTaskExperiment({
  figure: "ui.scroll.longtask",
  locks: { full: 100_000, quick: 2000 },
  work: scrollTable,
  method: `Longest main-thread task in the browser's trace during ${WHEELS} wheel events of ${WHEEL_PX} px, ${JUMPS} jumps by a tenth of the list, and jumps to both ends`,
});

/** Duration of the longest main-thread task while the table and the events are open and locks change at a high rate. */
export const busyTasks = createLongTaskExperiment({
  figure: "ui.busy.longtask",
  locks: { full: 10_000, quick: 500 },
  changes: BUSY_CHANGES_PER_SECOND,
  work: (page) => page.waitForTimeout(BUSY_WATCH_MS),
  method: `Longest main-thread task in the browser's trace in ${BUSY_WATCH_MS / 1000} s with ${BUSY_CHANGES_PER_SECOND.full} changes per second`,
});

interface LongTaskPlan {
  readonly figure: string;
  readonly locks: Readonly<Record<Run["effort"], number>>;
  /** Changes of locks per second. */
  readonly changes?: Readonly<Record<Run["effort"], number>>;
  readonly method: string;
  work(page: Page): Promise<void>;
}

function createLongTaskExperiment({
  figure,
  locks,
  changes = CHANGES_A_SECOND,
  work,
  method,
}: LongTaskPlan): Experiment {
  return {
    figures: [figure],
    async measure(run) {
      const fleet = { locks: locks[run.effort], changesPerSecond: changes[run.effort] };
      const scene = await openConsoleSetup(run, fleet);
      const context = await scene.newContext();
      const page = await openLocks(context, scene.url);
      await page.waitForTimeout(SETTLE_MS);
      // The first run is not measured, because code is compiled when it runs first. An open page has already compiled
      // it.
      await work(page);
      const rounds: Tasks[] = [];
      for (let round = 1; round <= ROUNDS[run.effort]; round++) {
        const tasks = await recordTasks(scene.browser, page, () => work(page));
        reportProgress(
          `round ${round}: ${tasks.longestMs.toFixed(1)} ms (${tasks.longestCpuMs.toFixed(1)} of CPU)`,
        );
        rounds.push(tasks);
      }
      return [await createLine(scene, { figure, rounds, method })];
    },
  };
}

interface Measured {
  readonly figure: string;
  readonly rounds: readonly Tasks[];
  readonly method: string;
}

async function createLine(scene: ConsoleSetup, { figure, rounds, method }: Measured): Promise<Line> {
  const longest = computeSpread(rounds.map(({ longestMs }) => longestMs));
  const cpu = computeSpread(rounds.map(({ longestCpuMs }) => longestCpuMs));
  const conditions = {
    ...(await scene.facts()),
    ...{ rounds: rounds.length, min: roundValue(longest.min), max: roundValue(longest.max) },
    cpuMs: { median: roundValue(cpu.median), max: roundValue(cpu.max) },
    [`tasksOver${LONG_MS}Ms`]: rounds.reduce((sum, { long }) => sum + long, 0),
    busyMsPerRound: roundValue(computeSpread(rounds.map(({ busyMs }) => busyMs)).median),
    method: `${method}. Median of the rounds. cpuMs: CPU time of that task. Lower is better`,
  };
  return { figure, unit: "ms", ours: roundValue(longest.median), vs: {}, conditions };
}

async function typeFilter(page: Page): Promise<void> {
  const search = page.getByLabel("Search locks");
  await search.focus();
  await page.keyboard.type(TYPED, { delay: BETWEEN_KEYS_MS });
  await page.waitForTimeout(SETTLE_MS);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.waitForTimeout(SETTLE_MS);
}

async function scrollTable(page: Page): Promise<void> {
  const table = page.locator("section[aria-label=Locks]");
  await table.hover();
  for (let wheel = 0; wheel < WHEELS; wheel++) {
    await page.mouse.wheel(0, WHEEL_PX);
    await page.waitForTimeout(BETWEEN_WHEELS_MS);
  }
  for (let jump = JUMPS - 1; jump >= 0; jump--) {
    await table.evaluate(
      (element, share) => element.scrollTo({ top: element.scrollHeight * share }),
      jump / JUMPS,
    );
    await page.waitForTimeout(SETTLE_MS / 4);
  }
  await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await page.waitForTimeout(SETTLE_MS / 2);
  await table.evaluate((element) => element.scrollTo({ top: 0 }));
  await page.waitForTimeout(SETTLE_MS / 2);
}
