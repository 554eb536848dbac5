import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "@playwright/test";
import { type Experiment, roundValue } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { computeTrend } from "../soak/trend.ts";
import { openConsoleSetup, openLocks } from "./console-setup.ts";

const FIGURE = "ui.memory.growth";
const EFFORT = {
  full: { locks: 10_000, changesPerSecond: 200, warmMs: 60_000, samples: 31, everyMs: 10_000 },
  quick: { locks: 500, changesPerSecond: 50, warmMs: 1000, samples: 5, everyMs: 1500 },
};
/**
 * Number of locks whose pages are opened in turn. It is small because the console keeps the data of an opened lock for
 * some minutes.
 */
const VISITED = 4;

interface MemoryUse {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Memory growth of an open console that shows the table and the events, and sometimes the page of a lock. */
export const memoryGrowth: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { warmMs, samples, everyMs, ...fleet } = EFFORT[run.effort];
    const scene = await openConsoleSetup(run, fleet);
    const context = await scene.newContext();
    const page = await openLocks(context, scene.url);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable");
    const paths = await page
      .locator("tr[data-path]")
      .evaluateAll((rows) => rows.map((row) => row.dataset.path));
    const warmUntil = performance.now() + warmMs;
    for (let at = 0; at <= VISITED || performance.now() < warmUntil; at++) {
      await visitPage(page, paths[at % VISITED]);
      await sleep(everyMs / 2);
    }
    const kept: MemoryUse[] = [];
    for (let at = 0; at < samples; at++) {
      await visitPage(page, paths[at % VISITED]);
      await sleep(everyMs);
      const now = await readMemoryUse(devtools);
      reportProgress(
        `${(at * everyMs) / 1000} s: ${(now.heapBytes / 1e6).toFixed(2)} MB, ${now.nodes} nodes`,
      );
      kept.push(now);
    }
    const heap = computeTrend(kept.map(({ heapBytes }) => heapBytes));
    const conditions = {
      ...(await scene.facts()),
      ...{ is: heap.is, seconds: ((samples - 1) * everyMs) / 1000, samples, lockPagesOpened: samples },
      heapMb: roundValue(heap.mean / 1e6),
      noise: roundValue(heap.noise / heap.mean),
      nodes: [kept.at(0)?.nodes, kept.at(-1)?.nodes],
      listeners: [kept.at(0)?.listeners, kept.at(-1)?.listeners],
      method: `Growth of a straight line fitted to the JavaScript heap after forced garbage collections, as a share of its mean, while the table, the events and, in turn, the pages of ${VISITED} locks are open. Starts ${warmMs / 1000} s after the page. Lower is better`,
    };
    return [{ figure: FIGURE, unit: "share", ours: roundValue(heap.rise / heap.mean), vs: {}, conditions }];
  },
};

/** Opens the page of a lock with a click and goes back to the table. */
async function visitPage(page: Page, path: string | undefined): Promise<void> {
  const link = page.locator(`tr[data-path] a[href^="/locks/"]`);
  const wanted = page.locator(`tr[data-path="${path}"] a[href^="/locks/"]`);
  await ((await wanted.count()) > 0 ? wanted : link).first().click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForURL(/\/locks\//);
  await sleep(500);
  await page.goBack();
  await page.locator("tr[data-path]").first().waitFor();
}

async function readMemoryUse(devtools: CDPSession): Promise<MemoryUse> {
  // Runs two garbage collections, because some objects become collectable only after others are collected.
  for (let left = 2; left > 0; left--) await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { heapBytes: usedSize, nodes: metric("Nodes"), listeners: metric("JSEventListeners") };
}
