import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import { assertAccessible } from "./accessibility.ts";
import { expect, logIn, startConsoleOnEmbeddedRedis, test } from "./console.ts";

test("an administrator reads how applications connect, and shows, copies and hides the password", async ({
  browser,
}) => {
  const lockkeeper = await startConsoleOnEmbeddedRedis();
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await logIn(context, lockkeeper);
  await page.goto(`${lockkeeper.url}/settings/keys`);
  const card = page.getByRole("region", { name: "Connect applications" });
  const file = join(lockkeeper.dataDir, "app-redis-url");
  const url = (await readFile(file, "utf8")).trim();
  const { password, port } = new URL(url);
  for (const text of ["127.0.0.1", port, "app", file]) await expect(card).toContainText(text);
  expect(await page.content()).not.toContain(password);
  await assertAccessible(page, "connect applications");

  await card.getByRole("button", { name: "Show password" }).click();
  await expect(card).toContainText(url);
  await card.getByRole("button", { name: "Copy URL" }).click();
  await expect(card.getByRole("status").filter({ hasText: "Copied" })).toBeAttached();
  await card.getByRole("button", { name: "Hide password" }).click();
  await expect(card.getByRole("button", { name: "Show password" })).toBeVisible();
  expect(await page.content()).not.toContain(password);
  const { body } = await lockkeeper.api("/audit?action=reveal_app_connection");
  expect(body.items).toMatchObject([{ who: { name: "mei" }, outcome: { code: "done" } }]);

  await context.addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url: lockkeeper.url }]);
  await page.reload();
  await expect(page.getByRole("region", { name: "连接应用" })).toContainText("REDIS_URL 所在文件");
  await expect(page.getByRole("button", { name: "显示密码" })).toBeVisible();

  const viewer = await browser.newContext();
  const other = await logIn(viewer, lockkeeper, "ada", "operator");
  await other.goto(`${lockkeeper.url}/settings/keys`);
  await expect(other.getByText("Only global admins can view and create API keys")).toBeVisible();
  await expect(other.getByRole("region", { name: "Connect applications" })).toHaveCount(0);
  await Promise.all([context.close(), viewer.close()]);
  await lockkeeper.stop();
});

test("nothing is shown where the target is not the embedded Redis", async ({ page }) => {
  await page.goto("/settings/keys");
  await expect(page.getByRole("button", { name: "Create API key…" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Connect applications" })).toHaveCount(0);
});
