import type { Page } from "@playwright/test";
import { startTestRedis, type TestRedis } from "../server/testing/redis.ts";
import { type Console, expect, logIn, startConsole, test } from "./console.ts";
import { assertAccessibleInThemes, shootThemes } from "./look.ts";

let redis: TestRedis;
let lockkeeper: Console;
/** The second in which the last thing happened before the console was away, Unix milliseconds. */
let pastAt: number;

// What happened, then a time without any console, then another one on the same Redis.
test.beforeAll(async () => {
  test.setTimeout(60_000);
  redis = await startTestRedis();
  const before = await startConsole({ REDIS_URL: redis.url });
  for (const name of ["anna", "bert", "carl"]) {
    await before.api(`/locks/lock%3Apast%3A${name}/acquire`, { owner: name, leaseMs: 600_000 });
  }
  await before.api("/locks/lock%3Apast%3Abert/release", { owner: "bert" });
  await expect.poll(async () => (await recorded(before)).length).toBe(4);
  // More than a page that is opened is told at once.
  await Promise.all(
    Array.from({ length: 125 }, async (_, n) => {
      await before.api(`/locks/lock%3Abusy%3A${n}/acquire`, { owner: "worker", leaseMs: 600_000 });
      await before.api(`/locks/lock%3Abusy%3A${n}/release`, { owner: "worker" });
    }),
  );
  pastAt = Math.max(...(await recorded(before)).map(({ at }) => at));
  await before.stop();
  lockkeeper = await startConsole({ REDIS_URL: redis.url });
});
test.afterAll(async () => {
  await lockkeeper.stop();
  await redis.stop();
});

async function recorded(from: Console): Promise<{ at: number }[]> {
  const { body } = await from.api("/history?key=lock%3Apast%3A*");
  return body.items as { at: number }[];
}

const events = (page: Page) => page.getByRole("region", { name: "Events" });
const older = (page: Page) => page.getByRole("button", { name: "Load older" });
const entryOf = (page: Page, name: RegExp | string, key: string) =>
  events(page).getByRole("listitem").filter({ hasText: name }).filter({ hasText: key });

test("older events are loaded, with the time in which nobody watched", async ({ browser }, info) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await logIn(context, lockkeeper);
  await page.goto("/events");
  await expect(entryOf(page, "released", "lock:busy:").first()).toBeVisible();
  const key = "lock:now";
  await lockkeeper.api(`/locks/${encodeURIComponent(key)}/acquire`, { owner: "dora", leaseMs: 600_000 });
  await expect(entryOf(page, "acquired", key)).toBeVisible();
  await expect(events(page)).toContainText("Nobody watched from");
  const texts = await events(page).getByRole("listitem").allTextContents();
  const at = (text: string) => texts.findIndex((line) => line.includes(text));
  // The newest first.
  expect(at(key)).toBeLessThan(at("Nobody watched from"));
  expect(at("Nobody watched from")).toBeLessThan(at("lock:busy:"));
  await shootThemes(page, info, "gap");
  await events(page).press("End");
  await expect(older(page)).toBeInViewport();
  await expect(entryOf(page, "acquired", "lock:past:anna")).toHaveCount(0);
  await older(page).click();
  await expect(events(page)).toContainText("This is where the history begins.", { timeout: 10_000 });
  // Rows that are drawn for the first time may turn out higher, and then the end is further down.
  await expect(async () => {
    await events(page).press("End");
    await expect(entryOf(page, "acquired", "lock:past:anna")).toBeInViewport({ timeout: 500 });
  }).toPass({ timeout: 10_000 });
  await expect(entryOf(page, "released", "lock:past:bert")).toHaveCount(1);
  await shootThemes(page, info, "older");
  await assertAccessibleInThemes(page, "older events");
  await context.close();
});

test("a moment of the past is looked at until one goes back to live", async ({ browser }, info) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await logIn(context, lockkeeper);
  await page.goto("/events?q=key:lock:past:*");
  const moment = await page.evaluate((at) => {
    const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
    return new Date(at - offsetMs).toISOString().slice(0, 19);
  }, pastAt);
  await page.getByLabel("Show events until").fill(moment);
  await expect(page).toHaveURL(/[?&]at=\d+/);
  await expect(entryOf(page, "released", "lock:past:bert")).toBeVisible();
  await lockkeeper.api("/locks/lock%3Apast%3Alater/acquire", { owner: "emil", leaseMs: 600_000 });
  await page.reload();
  await expect(page.getByLabel("Show events until")).toHaveValue(moment);
  await expect(entryOf(page, "acquired", "lock:past:carl")).toBeVisible();
  await expect(events(page)).not.toContainText("lock:past:later");
  await page.screenshot({ path: info.outputPath("until.png") });
  await page.getByRole("button", { name: "Back to live" }).click();
  await expect(page).not.toHaveURL(/at=/);
  await lockkeeper.api("/locks/lock%3Apast%3Alater/release", { owner: "emil" });
  await expect(entryOf(page, "released", "lock:past:later")).toBeVisible();
  await context.close();
});

test("search and types are in the address, and count for what is loaded, too", async ({ browser }, info) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await logIn(context, lockkeeper);
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
  await older(page).click();
  await expect(entryOf(page, "acquired", "lock:past:bert")).toBeVisible();
  await expect(entryOf(page, "released", "lock:past:bert")).toHaveCount(0);
  await expect(entryOf(page, "acquired", "lock:past:anna")).toHaveCount(0);
  await page.screenshot({ path: info.outputPath("filtered.png") });
  await page.getByLabel("Search events").fill("owner:nobody-of-this-name");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(page).not.toHaveURL(/type=|q=/);
  await expect(page.getByLabel("Search events")).toHaveValue("");
  await context.close();
});
