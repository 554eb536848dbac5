import type { Page } from "@playwright/test";
import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { assertChinese } from "./assert-chinese.ts";
import { test as base, type Console, expect, startConsole } from "./console.ts";

/** Tests with their own console, because the chip counts all possible locks of the target. */
const test = base.extend<object, { lockkeeper: Console }>({
  lockkeeper: [
    async ({ browserName: _ }, use) => {
      const running = await startConsole();
      await use(running);
      await running.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

const [FIRST, SECOND] = ["mutex:report", "mutex:export"];
const rowsOf = (page: Page) => page.getByRole("row").filter({ hasText: "mutex:" });

test.beforeEach(async ({ lockkeeper }) => {
  await lockkeeper.redis.runCli("DEL", "lock:listed");
  await lockkeeper.redis.runCli("SET", FIRST, "worker-7");
  await lockkeeper.redis.runCli("SET", SECOND, "worker-8");
});

test("possible locks are not listed, and a chip counts and shows them", async ({
  page,
  lockkeeper,
}, info) => {
  const chip = page.getByRole("button", { name: "2 possible locks" });
  await page.goto("/");
  await expect(page.getByText("2 possible locks are not listed")).toBeVisible();
  await takeThemeScreenshots(page, info, "possible-locks-alone");
  await lockkeeper.redis.runCli("SET", "lock:listed", "worker-9");
  await expect(page.getByRole("row").filter({ hasText: "worker-9" })).toBeVisible();
  await expect(rowsOf(page)).toHaveCount(0);
  await expect(chip).toHaveAttribute("title", /not listed because your application may use them/);
  await expect(chip).toHaveAttribute("aria-pressed", "false");
  await chip.click();
  await expect(chip).toHaveAttribute("aria-pressed", "true");
  await expect(rowsOf(page)).toHaveCount(2);
  expect(new URL(page.url()).searchParams.get("q")).toBe("is:unlisted");
  const views = page.getByRole("group", { name: "Views" });
  await expect(views.getByRole("button", { name: "All" })).toHaveText("All1");
  await expect(views.getByRole("button", { name: "All" })).toHaveAttribute("aria-pressed", "false");
  await expect(views.getByRole("button", { name: "Needs attention" })).toHaveText("Needs attention1");
  await takeThemeScreenshots(page, info, "possible-locks");
  await assertAccessibleInThemes(page, "possible locks");
  await chip.click();
  await expect(rowsOf(page)).toHaveCount(0);
  await lockkeeper.redis.runCli("DEL", FIRST);
  await expect(page.getByRole("button", { name: "1 possible lock", exact: true })).toBeVisible();
  await lockkeeper.redis.runCli("DEL", SECOND);
  await expect(page.getByRole("button", { name: /possible lock/ })).toHaveCount(0);
});

test("a search that finds no lock is repeated with possible locks", async ({ page }) => {
  await page.goto("/?q=report");
  await expect(page.getByText("No lock matches")).toBeVisible();
  await page.getByRole("button", { name: "Search possible locks too" }).click();
  await expect(rowsOf(page)).toHaveCount(1);
  expect(new URL(page.url()).searchParams.get("q")).toBe("report confidence:*");
});

test("the page of a possible lock says what it is, and releases it once its format is named", async ({
  page,
  lockkeeper,
}, info) => {
  await page.goto(`/locks/${encodeURIComponent(FIRST)}`);
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("This may not be a lock");
  await expect(now).toContainText("select its format first");
  await expect(now).toContainText("It is not listed");
  await expect(now.getByRole("link", { name: "Add a format rule" })).toHaveAttribute("href", /^\/formats/);
  await takeThemeScreenshots(page, info, "possible-lock-page");
  await assertAccessibleInThemes(page, "a possible lock");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("its worker is gone");
  await sheet.getByLabel("Token string", { exact: true }).check();
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", FIRST)).toBe("0");
});

test.describe("in Chinese", () => {
  test("the chip, the empty list and the page of a possible lock have no English", async ({
    page,
    lockkeeper,
  }) => {
    await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url: lockkeeper.url }]);
    await page.goto("/");
    await expect(page.getByRole("button", { name: "2 个疑似锁" })).toBeVisible();
    await assertChinese(page, "the empty list");
    await page.goto(`/locks/${encodeURIComponent(SECOND)}`);
    await expect(page.getByText("这可能不是锁")).toBeVisible();
    await assertChinese(page, "a possible lock");
  });
});
