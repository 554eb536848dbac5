import type { Page } from "@playwright/test";
import { startTestRedis, type TestRedis } from "../test/support/test-redis.ts";
import { assertAccessibleInThemes, takeScreenshot, takeThemeScreenshots } from "./accessibility.ts";
import { test as base, type Console, expect, startConsole } from "./console.ts";

interface Past {
  /** Time of the last event before the gap, in Unix milliseconds. */
  pastAt: number;
  redis: TestRedis;
}

/**
 * Tests with a console on a Redis that an earlier console watched. No console ran in between, so the history has a gap.
 */
const test = base.extend<object, { past: Past }>({
  past: [
    async ({ browserName: _ }, use) => {
      const redis = await startTestRedis();
      const before = await startConsole({ REDIS_URL: redis.url });
      for (const name of ["anna", "bert", "carl"]) {
        await before.api(`/locks/lock%3Apast%3A${name}/acquire`, { owner: name, leaseMs: 600_000 });
      }
      await before.callHold("release", "/locks/lock%3Apast%3Abert");
      await expect.poll(async () => (await recorded(before)).length).toBe(4);
      // Creates more events than a page loads when it opens.
      await Promise.all(
        Array.from({ length: 125 }, async (_, n) => {
          await before.api(`/locks/lock%3Abusy%3A${n}/acquire`, { owner: "worker", leaseMs: 600_000 });
          await before.callHold("release", `/locks/lock%3Abusy%3A${n}`);
        }),
      );
      const pastAt = Math.max(...(await recorded(before)).map(({ at }) => at));
      await before.stop();
      await use({ redis, pastAt });
      await redis.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  lockkeeper: [
    async ({ past }, use) => {
      const running = await startConsole({ REDIS_URL: past.redis.url });
      await use(running);
      await running.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

async function recorded(from: Console): Promise<{ at: number }[]> {
  const { body } = await from.api("/history?key=lock%3Apast%3A*");
  // Excludes gaps, because a busy machine may cause additional ones.
  return (body.items as { at: number; type: string }[]).filter(({ type }) => type !== "gap");
}

const events = (page: Page) => page.getByRole("region", { name: "Events" });
const entryOf = (page: Page, name: RegExp | string, key: string) =>
  events(page).getByRole("listitem").filter({ hasText: name }).filter({ hasText: key });

test("older events can be loaded, including gaps in which nothing was observed", async ({
  page,
  lockkeeper,
}, info) => {
  await page.goto("/events");
  await expect(entryOf(page, "released", "lock:busy:").first()).toBeVisible();
  const key = "lock:now";
  await lockkeeper.api(`/locks/${encodeURIComponent(key)}/acquire`, { owner: "dora", leaseMs: 600_000 });
  await expect(entryOf(page, "acquired", key)).toBeVisible();
  await expect(events(page)).toContainText("Not observed from");
  // Events are listed newest first. A busy machine may cause another gap after the acquire. The list shows that gap
  // once it is detected.
  await expect(async () => {
    const texts = await events(page).getByRole("listitem").allTextContents();
    const at = (text: string) => texts.findIndex((line) => line.includes(text));
    expect(texts.slice(at(key) + 1, at("lock:busy:")).join("\n")).toContain("Not observed from");
  }).toPass();
  await takeThemeScreenshots(page, info, "gap");
  // Older events load when the user scrolls to the end.
  await expect(async () => {
    await events(page).press("End");
    await expect(entryOf(page, "acquired", "lock:past:anna")).toBeInViewport({ timeout: 500 });
  }).toPass();
  await expect(events(page)).toContainText("Start of the history.");
  await expect(entryOf(page, "released", "lock:past:bert")).toHaveCount(1);
  await takeThemeScreenshots(page, info, "older");
  await assertAccessibleInThemes(page, "older events");
});

test("the events page shows a past moment until the user returns to live", async ({
  page,
  lockkeeper,
  past,
}, info) => {
  await page.goto("/events?q=key:lock:past:*");
  const moment = await page.evaluate((at) => {
    const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
    return new Date(at - offsetMs).toISOString().slice(0, 19).replace("T", " ");
  }, past.pastAt);
  await page.getByLabel("Show events until").fill("9:30 PM");
  await expect(page.getByLabel("Show events until")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Show events until").fill(moment);
  await page.getByLabel("Show events until").press("Enter");
  await expect(page).toHaveURL(/[?&]at=\d+/);
  await expect(entryOf(page, "released", "lock:past:bert")).toBeVisible();
  await lockkeeper.api("/locks/lock%3Apast%3Alater/acquire", { owner: "emil", leaseMs: 600_000 });
  await page.reload();
  await expect(page.getByLabel("Show events until")).toHaveValue(moment);
  await expect(entryOf(page, "acquired", "lock:past:carl")).toBeVisible();
  await expect(events(page)).not.toContainText("lock:past:later");
  await takeScreenshot(page, info, "until");
  await page.getByRole("button", { name: "Load newer events" }).click();
  await expect(page.getByRole("button", { name: "Load newer events" })).toHaveCount(0);
  await events(page).press("Home");
  await expect(entryOf(page, "acquired", "lock:past:later")).toBeVisible();
  await page.getByRole("button", { name: "Back to live" }).click();
  await expect(page).not.toHaveURL(/at=/);
  await lockkeeper.callHold("release", "/locks/lock%3Apast%3Alater");
  await expect(entryOf(page, "released", "lock:past:later")).toBeVisible();
});

test("search and event types are in the URL and also apply to events loaded later", async ({
  page,
}, info) => {
  await page.goto("/events");
  await page.getByRole("button", { name: "acquired", exact: true }).click();
  await page.getByLabel("Search events").fill("owner:bert");
  await expect(page).toHaveURL(/type=acquired/);
  await expect(page).toHaveURL(/q=owner:bert/);
  await page.reload();
  await expect(page.getByRole("button", { name: "acquired", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(entryOf(page, "acquired", "lock:past:bert")).toBeVisible();
  await expect(entryOf(page, "released", "lock:past:bert")).toHaveCount(0);
  await expect(entryOf(page, "acquired", "lock:past:anna")).toHaveCount(0);
  await takeScreenshot(page, info, "filtered");
  await page.getByLabel("Search events").fill("bert held>5m");
  await expect(page.getByText("held>5m applies to locks only")).toBeVisible();
  await expect(page).toHaveURL(/q=owner:bert/);
  await page.getByLabel("Search events").fill("owner:nobody-of-this-name");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(page).not.toHaveURL(/type=|q=/);
  await expect(page.getByLabel("Search events")).toHaveValue("");
});

test("new events wait while the list is paused or scrolled down", async ({ page, lockkeeper }) => {
  await page.goto("/events");
  const name = "lock:paused";
  const path = `/locks/${encodeURIComponent(name)}`;
  await expect(entryOf(page, "released", "lock:busy:").first()).toBeVisible();
  await page.keyboard.press("Space");
  await lockkeeper.api(`${path}/acquire`, { owner: "fay" });
  await expect(page.getByRole("button", { name: "1 new event" })).toBeVisible();
  await expect(entryOf(page, "acquired", name)).toHaveCount(0);
  await page.getByRole("button", { name: "1 new event" }).click();
  await expect(entryOf(page, "acquired", name)).toBeVisible();
  await events(page).evaluate((list) => list.scrollTo(0, 320));
  const row = entryOf(page, "", "lock:busy:").nth(10);
  const [id, before] = [await row.getAttribute("data-id"), await row.boundingBox()];
  await lockkeeper.callHold("release", path);
  await expect(page.getByRole("button", { name: "1 new event" })).toBeVisible();
  const after = await page.locator(`[data-id="${id}"]`).boundingBox();
  expect(after?.y).toBe(before?.y);
  await page.getByRole("button", { name: "1 new event" }).click();
  await expect(entryOf(page, "released", name)).toBeInViewport();
});

test("the list stands still under the pointer while events stream in, and a click opens the row under it", async ({
  page,
  lockkeeper,
}) => {
  await page.goto("/events");
  await expect(entryOf(page, "released", "lock:busy:").first()).toBeVisible();
  const row = events(page).locator("li[data-id]").nth(4);
  await row.hover();
  const idUnderPointer = () =>
    page.evaluate(() => document.querySelector("li[data-id]:hover")?.getAttribute("data-id"));
  await expect.poll(idUnderPointer).toBeTruthy();
  const pointed = await idUnderPointer();
  const name = "lock:streaming";
  const path = `/locks/${encodeURIComponent(name)}`;
  for (let n = 0; n < 3; n++) {
    await lockkeeper.api(`${path}/acquire`, { owner: "fay", leaseMs: 600_000 });
    await lockkeeper.callHold("release", path);
  }
  const fresh = page.getByRole("button", { name: /^\d+ new events$/ });
  await expect(fresh).toHaveText("6 new events");
  expect(await idUnderPointer()).toBe(pointed);
  await page.mouse.down();
  await page.mouse.up();
  await expect(page).toHaveURL(new RegExp(`#${pointed}$`));
  // The opened row keeps the focus after the pointer has left, so the list stays paused.
  await page.mouse.move(0, 0);
  await expect(fresh).toBeVisible();
  await fresh.click();
  await expect(entryOf(page, "released", name).first()).toBeInViewport();
  await expect(fresh).toHaveCount(0);
});

test("renewals are folded into one row that lists each of them on demand", async ({ page, lockkeeper }) => {
  const name = "lock:kept";
  const path = `/locks/${encodeURIComponent(name)}`;
  await page.goto("/events?q=key:lock:kept");
  await lockkeeper.api(`${path}/acquire`, { owner: "gil", leaseMs: 600_000 });
  await expect(entryOf(page, "acquired", name)).toBeVisible();
  for (let n = 0; n < 3; n++) await lockkeeper.callHold("renew", path);
  const folded = events(page).getByRole("button", { name: "3 renewals of 1 lock: show each renewal" });
  await expect(folded).toHaveAttribute("aria-expanded", "false");
  await expect(entryOf(page, "renewed", name)).toHaveCount(0);
  await folded.press("Enter");
  await expect(entryOf(page, "renewed", name)).toHaveCount(3);
  await folded.press("Enter");
  await expect(entryOf(page, "renewed", name)).toHaveCount(0);
  await page.getByRole("button", { name: "renewed", exact: true }).click();
  await expect(page).toHaveURL(/type=renewed/);
});

test("on a phone an event shows its owner, in a row that is large enough for a finger", async ({
  page,
}, info) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/events?q=key:lock:past:*");
  const row = entryOf(page, "released", "lock:past:bert");
  await expect(row.getByText("bert", { exact: false }).last()).toBeInViewport();
  await expect(row).toContainText("bert after");
  expect((await row.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await takeThemeScreenshots(page, info, "phone");
  await page.setViewportSize({ width: 320, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide, "the page reflows at 320 px").toBeLessThanOrEqual(320);
});

test("an event opens by keyboard, and its link works from anywhere", async ({ page }, info) => {
  await page.goto("/events?q=key:lock:past:*%20owner:bert&type=released");
  await expect(entryOf(page, "released", "lock:past:bert")).toBeVisible();
  const details = page.getByRole("complementary", { name: "Event" });
  // One gap is listed above the event, or two if the console started slowly.
  const open = entryOf(page, "released", "lock:past:bert").getByRole("button", { name: /^released/ });
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(open).toBeFocused({ timeout: 200 });
  }).toPass();
  await page.keyboard.press("Enter");
  await expect(details).toContainText("bert");
  await expect(details).toContainText("reported by the client");
  await assertAccessibleInThemes(page, "details of an event");
  await takeThemeScreenshots(page, info, "details");
  // The page may not read the clipboard, so the test records what the page writes to it.
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  await details.getByRole("button", { name: "Copy link" }).click();
  const link = String(await page.evaluate(() => (window as { copied?: string }).copied));
  expect(link).toMatch(/at=\d+.*#\d+-\d+$/);
  await page.keyboard.press("k");
  await expect(page.getByRole("complementary", { name: "Not observed" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(details).toHaveCount(0);
  await page.goto("/");
  await page.goto(link);
  await expect(details).toContainText("lock:past:bert");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(details.getByRole("button", { name: "Replay from 1 min before" })).toBeInViewport();
});

test("a past time range is replayed by keyboard until its end", async ({ page, lockkeeper }, info) => {
  const [first = { at: 0 }] = (await recorded(lockkeeper)).toSorted((one, other) => one.at - other.at);
  const from = Math.floor(first.at) - 20_000;
  await page.goto(`/events?q=key:lock:past:*&from=${from}&to=${from + 50_000}&at=${from}`);
  const bar = page.getByRole("region", { name: "Replay" });
  const clock = bar.getByTestId("replay-clock");
  await expect(page.getByText("No events yet at this point")).toBeVisible();
  const begin = await clock.textContent();
  await page.keyboard.press("Shift+ArrowRight");
  await expect(entryOf(page, "acquired", "lock:past:anna")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`at=${from + 30_000}`));
  await expect(bar.getByTestId("replay-scope")).toContainText("key:lock:past:*");
  await expect(bar.getByRole("listitem").filter({ hasText: /^released/ })).toHaveText(/^released[12]$/);
  await takeThemeScreenshots(page, info, "replay");
  await assertAccessibleInThemes(page, "replay");
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(clock).toHaveText(begin ?? "");
  await bar.getByRole("button", { name: "60×" }).click();
  await events(page).focus();
  await page.keyboard.press("Space");
  await expect(entryOf(page, "released", "lock:past:bert")).toBeVisible();
  await expect(bar.getByRole("status")).toContainText("Replay finished");
  await bar.getByRole("button", { name: "End replay" }).click();
  await expect(page).not.toHaveURL(/from=/);
  await expect(page.getByRole("button", { name: "Pause events" })).toBeVisible();
  await page.getByRole("button", { name: "Replay…" }).click();
  await expect(page.getByRole("form", { name: "Replay" }).getByTestId("replay-scope")).toContainText(
    "key:lock:past:*",
  );
  await page.getByRole("button", { name: "last 5 m" }).click();
  await expect(bar.getByRole("button", { name: "Pause" })).toBeVisible();
});
