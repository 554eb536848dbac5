import type { BrowserContext } from "@playwright/test";
import { type Experiment, roundValue } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { computeSpread } from "../statistics.ts";
import { type ConsoleSetup, openConsoleSetup, openLocks } from "./console-setup.ts";

const FIGURE = "ui.firstrows";
const FLEET = { full: { locks: 10_000, changesPerSecond: 200 }, quick: { locks: 500, changesPerSecond: 50 } };
const ROUNDS = { full: 11, quick: 2 };

/**
 * Script that runs in the page before the page's own code. It marks the time after the frame that shows the first row.
 */
const WATCH = `new MutationObserver((_, observer) => {
  if (document.querySelector("tr[data-path]") === null) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => performance.mark("bench:rows");
    channel.port2.postMessage(null);
  });
}).observe(document, { childList: true, subtree: true });`;

const READ = `({
  rowsMs: performance.getEntriesByName("bench:rows")[0]?.startTime ?? null,
  htmlMs: performance.getEntriesByType("navigation")[0].responseEnd,
  firstPaintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
})`;

interface Times {
  readonly rowsMs: number;
  readonly htmlMs: number;
  readonly firstPaintMs: number;
}

/**
 * Time from the start of the navigation to the frame with the first rows of the table, with empty caches and with
 * cached scripts.
 */
export const firstRows: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const scene = await openConsoleSetup(run, FLEET[run.effort]);
    const cold: Times[] = [];
    const warm: Times[] = [];
    // The server compiles code when it renders its first page, so the first visit is not measured.
    await openOnce(scene);
    for (let round = 1; round <= ROUNDS[run.effort]; round++) {
      const [first, second] = await openOnce(scene);
      reportProgress(`round ${round}: ${Math.round(first.rowsMs)} ms, again ${Math.round(second.rowsMs)} ms`);
      cold.push(first);
      warm.push(second);
    }
    const rows = computeSpread(cold.map(({ rowsMs }) => rowsMs));
    const conditions = {
      ...(await scene.facts()),
      ...{ rounds: cold.length, min: roundValue(rows.min), max: roundValue(rows.max) },
      htmlMs: roundValue(computeSpread(cold.map(({ htmlMs }) => htmlMs)).median),
      firstPaintMs: roundValue(computeSpread(cold.map(({ firstPaintMs }) => firstPaintMs)).median),
      cachedMs: roundValue(computeSpread(warm.map(({ rowsMs }) => rowsMs)).median),
      method:
        "Time from the navigation to the end of the frame with the first row, in a window with empty caches. cachedMs: a second navigation to the same URL. Redis, server, clients and browser share the machine. Lower is better",
    };
    return [{ figure: FIGURE, unit: "ms", ours: roundValue(rows.median), vs: {}, conditions }];
  },
};

async function openOnce(scene: ConsoleSetup): Promise<[Times, Times]> {
  const context = await scene.newContext();
  try {
    await context.addInitScript({ content: WATCH });
    return [await measureTimes(context, scene.url), await measureTimes(context, scene.url)];
  } finally {
    await context.close();
  }
}

async function measureTimes(context: BrowserContext, url: string): Promise<Times> {
  const page = await openLocks(context, url);
  await page.waitForFunction(`${READ}.rowsMs !== null`);
  const times: Times = await page.evaluate(READ);
  await page.close();
  return times;
}
