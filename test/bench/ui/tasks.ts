import type { Browser, Page } from "@playwright/test";

/** Statistics of the main-thread tasks of a page between two points in time. */
export interface Tasks {
  /** Duration of the longest task in ms. */
  readonly longestMs: number;
  /** Maximum CPU time of a task in ms. On a busy machine, it is shorter than the duration of the task. */
  readonly longestCpuMs: number;
  /** Number of tasks longer than 50 ms. */
  readonly long: number;
  /** Total duration of all tasks in ms. */
  readonly busyMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Start time in µs. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const CATEGORIES = ["toplevel", "blink.user_timing"];
const FROM = "bench:from";
const TO = "bench:to";
export const LONG_MS = 50;

/**
 * Records the main-thread tasks during `work` with the browser's trace, because pages can observe only tasks of 50 ms
 * and longer.
 */
export async function recordTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<Tasks> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.evaluate(`performance.mark("${FROM}")`);
  await work();
  await page.evaluate(`performance.mark("${TO}")`);
  const trace = await browser.stopTracing();
  return summarizeTasks(JSON.parse(trace.toString("utf8")).traceEvents);
}

export function summarizeTasks(events: readonly TraceEvent[]): Tasks {
  const from = events.find(({ name }) => name === FROM);
  const to = events.find(({ name }) => name === TO);
  if (from === undefined || to === undefined) throw new Error("The browser's trace lacks the page's marks.");
  const tasks = events.filter(
    ({ name, ph, pid, tid, ts }) =>
      ph === "X" &&
      name.endsWith("RunTask") &&
      pid === from.pid &&
      tid === from.tid &&
      ts > from.ts &&
      ts < to.ts,
  );
  const took = tasks.map(({ dur = 0 }) => dur / 1000);
  return {
    longestMs: Math.max(0, ...took),
    longestCpuMs: Math.max(0, ...tasks.map(({ dur = 0, tdur = dur }) => tdur / 1000)),
    long: took.filter((ms) => ms > LONG_MS).length,
    busyMs: took.reduce((sum, ms) => sum + ms, 0),
  };
}
