import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { startTestRedis, type TestRedis } from "../test/support/test-redis.ts";
import { assertAccessible, takeScreenshot, takeThemeScreenshots } from "./accessibility.ts";
import { test as base, type Console, expect, startConsoleOnTargets } from "./console.ts";

/**
 * The Playwright test with a console whose only target is in production. To release many locks there, the operator must
 * type the label of the target.
 */
const test = base.extend<object, { redis: TestRedis }>({
  redis: [
    async ({ browserName: _ }, use) => {
      const redis = await startTestRedis();
      await use(redis);
      await redis.stop();
    },
    { scope: "worker" },
  ],
  lockkeeper: [
    async ({ redis }, use) => {
      const target = { name: "shop", label: "Shop EU", environment: "production", redis: redis.url };
      const running = await startConsoleOnTargets([target]);
      await use(running);
      await running.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

const acquire = (lockkeeper: Console, key: string, owner: string) =>
  lockkeeper.api(`/locks/${encodeURIComponent(key)}/acquire`, { owner, leaseMs: 600_000 });
const rowOf = (page: Page, owner: string) => page.getByRole("row").filter({ hasText: owner });
const exists = async (redis: TestRedis, key: string) => (await redis.runCli("EXISTS", key)) === "1";

test("selected locks are reviewed and released together, except one that changed hands", async ({
  page,
  lockkeeper,
  redis,
}, info) => {
  for (const n of [1, 2, 3, 4]) await acquire(lockkeeper, `lock:bulk:${n}`, `gone@vm-${n}`);
  await page.goto("/");
  await expect(rowOf(page, "gone@vm-4")).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const bar = page.getByRole("toolbar", { name: "Selected locks" });
  await expect(bar).toContainText("1 lock selected");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  await expect(bar).toContainText("3 locks selected");
  await takeScreenshot(page, info, "selected");
  await lockkeeper.callHold("release", "/locks/lock%3Abulk%3A2");
  await acquire(lockkeeper, "lock:bulk:2", "new@vm-9");

  await bar.getByRole("button", { name: "Release 3…" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("region", { name: "Will be released: 2" })).toContainText("gone@vm-3");
  await expect(sheet.getByRole("region", { name: "Not released: 1" })).toContainText(
    "held by another holder",
  );
  const line = sheet.getByRole("listitem").filter({ hasText: "gone@vm-3" });
  await expect(line).not.toHaveText((await line.textContent()) ?? "");
  const free = sheet.getByRole("button", { name: "Release 2 locks" });
  await expect(free).toHaveAttribute("title", /Enter a reason/);
  await sheet.getByRole("textbox", { name: "Reason" }).fill("their node is gone");
  await expect(free).toHaveAttribute("title", "Type “Shop EU” to confirm.");
  await sheet.getByLabel(/Type “Shop EU” to confirm/).fill("Shop EU");
  await takeThemeScreenshots(page, info, "review");
  await assertAccessible(page, "review");
  await free.click();
  const outcome = sheet.getByTestId("bulk-outcome");
  await expect(outcome).toContainText("All released.");
  await expect(outcome).toContainText("2 released");
  await takeScreenshot(page, info, "freed");
  expect(await Promise.all([1, 2, 3, 4].map((n) => exists(redis, `lock:bulk:${n}`)))).toEqual([
    false,
    true,
    false,
    true,
  ]);
  await sheet.getByRole("button", { name: "Close" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(bar).toHaveCount(0);
});

test("all matching locks are selected, reviewed and released, including rows off screen", async ({
  page,
  lockkeeper,
  redis,
}, info) => {
  await Promise.all(
    Array.from({ length: 150 }, (_, n) => acquire(lockkeeper, `lock:many:${n}`, "crowd@vm-1")),
  );
  await page.goto("/?q=owner:crowd*");
  await expect(page.getByTestId("total")).toContainText("150 of");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).click();
  const bar = page.getByRole("toolbar", { name: "Selected locks" });
  await expect(bar).toContainText("50 locks selected");
  // Selected rows that are scrolled out of view stay selected and are counted.
  await page.getByRole("region", { name: "Locks", exact: true }).evaluate((table) => {
    table.scrollTop = table.scrollHeight;
  });
  await expect(bar).toContainText(/50 locks selected\d+ not on screen/);
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);

  await page.getByRole("checkbox", { name: "Select lock:many:" }).last().click();
  await expect(bar).toContainText("1 lock selected");
  await bar.getByRole("button", { name: "Select all 150 matching locks" }).click();
  await expect(bar).toContainText("All 150 matching locks selected");
  await expect(page.getByRole("checkbox", { name: "Select lock:many:", checked: false })).toHaveCount(0);
  await takeThemeScreenshots(page, info, "all-selected");
  await assertAccessible(page, "all-selected");
  await bar.getByRole("button", { name: "Release 150…" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("region", { name: "Will be released: 150" })).toBeVisible();
  await sheet.getByRole("textbox", { name: "Reason" }).fill("the crowd is gone");
  await sheet.getByLabel(/Type “Shop EU” to confirm/).fill("Shop EU");
  await lockkeeper.callHold("release", "/locks/lock%3Amany%3A7");
  await acquire(lockkeeper, "lock:many:7", "new@vm-9");
  await sheet.getByRole("button", { name: "Release 150 locks" }).click();
  const outcome = sheet.getByTestId("bulk-outcome");
  await expect(outcome).toContainText("149 of 150 released.");
  await expect(outcome).toBeFocused();
  await expect(sheet.getByRole("region", { name: "1 held by another holder" })).toContainText("new@vm-9");
  // Only the visible part of a long list is rendered.
  expect(await sheet.getByRole("listitem").count()).toBeLessThan(60);
  await takeScreenshot(page, info, "all");
  await assertAccessible(page, "all");
  await sheet.getByRole("button", { name: "Review the remaining lock again" }).click();
  await expect(sheet.getByRole("region", { name: "Will be released: 1" })).toContainText("new@vm-9");
  await sheet.getByRole("button", { name: "Release 1 lock" }).click();
  await expect(outcome).toContainText("All released.");
  const saved = page.waitForEvent("download");
  await sheet.getByRole("button", { name: "Download CSV" }).click();
  const file = await readFile(await (await saved).path(), "utf8");
  expect(file.trim().split("\r\n")).toHaveLength(1 + 150);
  expect(file).toContain('"lock:many:7","","released","new@vm-9"');
  expect(await redis.runCli("KEYS", "lock:many:*")).toBe("");
});
