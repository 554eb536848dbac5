import type { Locator, Page } from "@playwright/test";
import type { Console } from "./console.ts";

export const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
export const rowOf = (page: Page, key: string) => page.locator(`tr[data-path*="${encodeURIComponent(key)}"]`);
export const releaseIn = (row: Locator) => row.getByRole("button", { name: /^Release / });
export const opacityOf = (locator: Locator) =>
  locator.evaluate((element) => {
    let opacity = 1;
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      opacity *= Number(getComputedStyle(at).opacity);
    return opacity;
  });

export interface Scene {
  readonly plain: string;
  readonly stuck: string;
  readonly contended: string;
  readonly filter: string;
}

/**
 * Waits for a lock until the test is over. Repeats the request, because a single one would time out before a slow test
 * ends.
 */
async function keepWaiting(lockkeeper: Console, name: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status } = await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "waiter", waitMs: 5000 });
    if (status !== 409) return;
  }
}

/** Creates an ordinary lock, a lock without TTL with a count of 3, and a lock with a count of 2 and a waiter. */
export async function prepareScene(
  lockkeeper: Console,
  key: (name: string) => string,
  isOver: () => boolean,
): Promise<Scene> {
  const scene = { plain: key("plain"), stuck: key("stuck:eu"), contended: key("contended") };
  const record = { service: "checkout", host: "ip-10-4-2-17.eu-central-1.compute.internal" };
  for (const name of [scene.plain, scene.contended]) {
    await lockkeeper.api(`${pathOf(name)}/acquire`, {
      owner: "checkout@pod-7:311",
      leaseMs: 1_800_000,
      record,
    });
  }
  await lockkeeper.callHold("reenter", pathOf(scene.contended));
  // The request fails when the console stops.
  keepWaiting(lockkeeper, scene.contended, isOver).catch(() => undefined);
  await lockkeeper.redis.runCli("HSET", scene.stuck, "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "3");
  return { ...scene, filter: `/?q=${encodeURIComponent(`key:${key("")}?*`)}` };
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

/**
 * Adds up the layout shifts of a page, starting with its next navigation. Excludes shifts that follow user input, and
 * shifts of the event list, whose rows move down as events arrive.
 */
export async function recordLayoutShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const sums = { shifts: 0 };
    Object.assign(window, { sums });
    const isEvent = (node: Node | null) =>
      node?.parentElement?.closest("section[aria-label='Latest events']") != null;
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries() as LayoutShift[])
        if (!shift.hadRecentInput && shift.sources.some(({ node }) => !isEvent(node)))
          sums.shifts += shift.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () =>
    page.evaluate(() => ("sums" in window ? (window.sums as { shifts: number }).shifts : Number.NaN));
}

/**
 * Returns a description of each column in which the row's text is truncated, outside the viewport, or covered by
 * another element.
 *
 * @param facts headings of the columns to check
 */
export async function findHiddenFacts(row: Locator, facts: readonly string[]): Promise<string[]> {
  return await row.evaluate((tr, names) => {
    const heads = [...(tr.closest("table")?.querySelectorAll("th") ?? [])].map((th) =>
      th.textContent?.trim(),
    );
    return names.flatMap((name) => {
      const cell = tr.children[heads.indexOf(name)];
      if (cell === undefined) return [`${name}: no column`];
      const main = [cell, ...cell.querySelectorAll("*")].filter(
        (each) => each.closest("[data-second]") === null,
      );
      const isCut = main.some((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth);
      const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
      if (text === null) return [`${name}: empty`];
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const isOutside = left < 0 || right > innerWidth || bottom > innerHeight;
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const isCovered = hit === null || !cell.contains(hit);
      return isCut || isOutside || isCovered
        ? [`${name}: cut ${isCut}, outside ${isOutside}, covered ${isCovered}`]
        : [];
    });
  }, facts);
}
