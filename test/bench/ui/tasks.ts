import type { Browser, Page } from "@playwright/test";

/** The work of the page's main thread between two moments. */
export interface Tasks {
  /** Duration of the longest task. */
  readonly longestMs: number;
  /** The longest CPU time of one task, which is less than its duration on a busy machine. */
  readonly longestCpuMs: number;
  /** Number of tasks longer than 50 ms. */
  readonly long: number;
  /** Duration of all tasks. */
  readonly busyMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Unit: microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const CATEGORIES = ["toplevel", "blink.user_timing"];
const FROM = "bench:from";
const TO = "bench:to";
export const LONG_MS = 50;

/** Records tasks with the browser's trace, because a page is only informed of tasks of 50 ms and more. */
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
