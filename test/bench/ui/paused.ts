import type { Page } from "@playwright/test";
import type { Experiment } from "../figure.ts";
import { openConsoleSetup, openLocks } from "./console-setup.ts";

const FIGURE = "ui.paused.moves";
const FLEET = {
  full: { locks: 10_000, changesPerSecond: 200 },
  quick: { locks: 500, changesPerSecond: 100 },
};
const WATCH_MS = { full: 10_000, quick: 2000 };
const EVERY_MS = 50;
const SETTLE_MS = 500;

/**
 * Returns a script that runs in the page and counts how often a position in the table shows another row or becomes
 * empty.
 */
const countMoves = (forMs: number) => `new Promise((resolve) => {
  const read = () => [...document.querySelectorAll("tr[data-path]")].map((row) => row.dataset.path);
  let before = read();
  let moves = 0;
  const timer = setInterval(() => {
    const now = read();
    moves += before.filter((path, at) => now[at] !== path).length;
    before = now;
  }, ${EVERY_MS});
  setTimeout(() => { clearInterval(timer); resolve(moves); }, ${forMs});
})`;

/** Number of rows that move although the user has paused the table, which is sorted by remaining time. */
export const pausedMoves: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const scene = await openConsoleSetup(run, FLEET[run.effort]);
    const page = await openLocks(await scene.newContext(), scene.url, "?sort=remaining");
    const movesLive = await countMovesWithin(page, WATCH_MS[run.effort]);
    if (movesLive === 0)
      throw new Error("No row moved before the pause: that none does after it says nothing.");
    await page
      .getByRole("button", { name: /^Pause/ })
      .first()
      .click();
    await page.waitForTimeout(SETTLE_MS);
    const moves = await countMovesWithin(page, WATCH_MS[run.effort]);
    const waiting = await page
      .getByText(/\+[\d,]+ change/)
      .first()
      .textContent();
    const conditions = {
      ...(await scene.facts()),
      ...{ movesLive, forMs: WATCH_MS[run.effort], waiting },
      method: `Rows that moved or disappeared, checked every ${EVERY_MS} ms, in a table sorted by TTL. movesLive: the same before the pause. Lower is better`,
    };
    return [{ figure: FIGURE, unit: "rows", ours: moves, vs: {}, conditions }];
  },
};

async function countMovesWithin(page: Page, ms: number): Promise<number> {
  return await page.evaluate<number>(countMoves(ms));
}
