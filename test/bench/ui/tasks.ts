import type { Browser, Page } from "@playwright/test";

/** What the page's main thread did between two moments. */
export interface Tasks {
  /** The longest task, as long as it took. */
  readonly longestMs: number;
  /** The most that one task had of a processor: on a busy machine less than it took. */
  readonly longestCpuMs: number;
  /** Tasks of more than 50 ms. */
  readonly long: number;
  /** All of them. */
  readonly busyMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const CATEGORIES = ["toplevel", "blink.user_timing"];
const FROM = "bench:from";
const TO = "bench:to";
export const LONG_MS = 50;

/** The browser's own account of it: a page is told only of tasks of 50 ms and more. */
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
