import type { Page, TestInfo } from "@playwright/test";
import {
  assertAccessible,
  TAKES_SCREENSHOTS,
  takeScreenshot,
  takeThemeScreenshots,
} from "./accessibility.ts";
import { expect, test } from "./console.ts";

/** Takes screenshots in both themes and on a phone, if screenshots are enabled. */
async function takeAllScreenshots(page: Page, info: TestInfo, name: string): Promise<void> {
  if (!TAKES_SCREENSHOTS) return;
  await page.mouse.move(0, 0);
  await takeThemeScreenshots(page, info, name);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 800 });
  await takeScreenshot(page, info, `${name}-phone`);
  if (size !== null) await page.setViewportSize(size);
}

test("an API key is created, used, rotated and revoked, and its secret is shown once", async ({
  page,
  lockkeeper,
}, info) => {
  const asApp = (secret: string) =>
    fetch(`${lockkeeper.url}/api/v1/locks`, { headers: { authorization: `Bearer ${secret}` } });
  await page.goto("/");
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Settings" }).click();
  await page.goto("/settings/keys");
  await page.getByRole("button", { name: "Create API key…" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("button", { name: "Create API key" })).toHaveAttribute(
    "title",
    "Enter a name.",
  );
  await sheet.getByLabel("Name").fill("bad name!");
  await sheet.getByRole("button", { name: "Create API key" }).click();
  await expect(sheet.getByRole("alert")).toContainText("letter");
  await sheet.getByLabel("Name").fill("checkout");
  const allKeys = sheet.getByText("Without a pattern, this key has access to every lock");
  await expect(allKeys).toBeVisible();
  await sheet.getByRole("textbox", { name: "Key patterns" }).fill("lock:orders:*\nlock:payments:*");
  await expect(allKeys).toHaveCount(0);
  const expiry = sheet.getByText(/The key expires on \d{4}-\d\d-\d\d/);
  await expect(expiry).toBeVisible();
  await sheet.getByLabel("Expires after").selectOption("never");
  await expect(expiry).toHaveCount(0);
  await sheet.getByLabel("Expires after").selectOption("days90");
  await takeAllScreenshots(page, info, "new-key");
  await assertAccessible(page, "new key");
  await sheet.getByRole("button", { name: "Create API key" }).click();
  await expect(sheet).toContainText("You will not see this secret again");
  const secret = await sheet.getByText(/^lk_/).innerText();
  expect((await asApp(secret)).status).toBe(200);
  await expect(sheet.getByText(/^export LOCKKEEPER_API_KEY=/)).toContainText(
    `export LOCKKEEPER_API_KEY=${secret}\ncurl -H "Authorization: Bearer $LOCKKEEPER_API_KEY" '${lockkeeper.url}/api/v1/locks?limit=1'`,
  );
  await expect(sheet.getByRole("button", { name: "Copy command" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeVisible();
  await assertAccessible(page, "secret");
  await sheet.getByRole("button", { name: "I've saved the secret" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);

  const row = page.getByRole("row").filter({ hasText: "checkout" });
  await expect(row).toContainText("lock:orders:*");
  await expect(row).toContainText("in 89 d");
  await takeAllScreenshots(page, info, "keys");

  await expect(row).toContainText("0 of 10,000");
  await row.getByRole("button", { name: "Change quotas for checkout" }).click();
  await sheet.getByLabel("Maximum live holds").fill("none");
  await expect(sheet.getByRole("button", { name: "Save quotas" })).toHaveAttribute(
    "title",
    "Enter a positive number, or leave the field empty.",
  );
  await sheet.getByLabel("Maximum live holds").fill("250");
  await sheet.getByLabel("Maximum memory in Redis (MiB)").fill("1.5");
  await assertAccessible(page, "quotas");
  await sheet.getByRole("button", { name: "Save quotas" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(row).toContainText("0 of 250");
  await expect(row).toContainText("0 of 1.5 MiB");

  await row.getByRole("button", { name: "Rotate checkout" }).click();
  await sheet.getByRole("button", { name: "Rotate secret" }).click();
  const next = await sheet.getByText(/^lk_/).innerText();
  await sheet.getByRole("button", { name: "I've saved the secret" }).click();
  await expect(row).toContainText("old secret valid for");
  expect([(await asApp(secret)).status, (await asApp(next)).status]).toEqual([200, 200]);

  await row.getByRole("button", { name: "Revoke checkout" }).click();
  await expect(sheet).toContainText("Its locks can no longer be renewed");
  await sheet.getByRole("button", { name: "Revoke API key" }).click();
  await expect(row).toContainText("revoked");
  expect([(await asApp(secret)).status, (await asApp(next)).status]).toEqual([401, 401]);
});

test("an operator is created, logs in, acts within the assigned roles and changes the password", async ({
  page,
  lockkeeper,
  browser,
}, info) => {
  await page.goto("/settings/operators");
  await page.getByRole("button", { name: "Create operator…" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "Name" }).fill("jo");
  // With one target, the form has a single role and does not mention other targets.
  await expect(sheet.getByRole("combobox")).toHaveCount(1);
  await sheet.getByRole("combobox", { name: "Role" }).selectOption("viewer");
  await sheet.getByLabel("New password").fill("correct horse battery");
  const make = sheet.getByRole("button", { name: "Create operator" });
  await expect(make).toHaveAttribute("title", "The passwords do not match.");
  await sheet.getByLabel("Repeat password").fill("correct horse battery");
  await assertAccessible(page, "new operator");
  await takeScreenshot(page, info, "new-operator");
  await make.click();
  const row = page.getByRole("row").filter({ hasText: "jo" });
  await expect(row).toContainText("viewer");
  await takeAllScreenshots(page, info, "operators");

  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const theirs = await context.newPage();
  await theirs.goto("/events?q=owner:x");
  await theirs.getByLabel("Name").fill("jo");
  await theirs.getByLabel("Password").fill("wrong");
  await theirs.getByRole("button", { name: "Log in" }).click();
  await expect(theirs.getByRole("main").getByRole("alert")).toContainText("Incorrect name or password.");
  await theirs.getByLabel("Password").fill("correct horse battery");
  await theirs.getByRole("button", { name: "Log in" }).click();
  await expect(theirs).toHaveURL(/\/events\?q=owner:x$/);
  await expect(theirs.getByTestId("operator")).toHaveText("jo · viewer");
  await theirs.goto("/settings/keys");
  await expect(theirs.getByText(/Only global admins/)).toBeVisible();
  await theirs.getByRole("link", { name: "Account" }).click();
  await expect(theirs.getByRole("region", { name: "jo" })).toContainText("viewer");
  await theirs.getByLabel("Current password").fill("not this one");
  await theirs.getByLabel("New password").fill("another long password");
  await theirs.getByLabel("Repeat password").fill("another long password");
  await theirs.getByRole("button", { name: "Change password" }).click();
  await expect(theirs.getByRole("main").getByRole("alert")).toContainText("the current password is wrong");
  await theirs.getByLabel("Current password").fill("correct horse battery");
  await theirs.getByRole("button", { name: "Change password" }).click();
  await expect(theirs.getByText("Password changed.")).toBeVisible();
  await takeAllScreenshots(theirs, info, "you");

  await page.goto("/settings/sessions");
  await page.getByRole("button", { name: /All operators/ }).click();
  await expect(page.getByRole("row").filter({ hasText: "this browser" })).toContainText("mei");
  await takeAllScreenshots(page, info, "sessions");
  await page.getByRole("button", { name: "End session of jo" }).click();
  await expect(theirs.getByRole("heading", { name: "You are not logged in" })).toBeVisible();

  await page.goto("/settings/operators");
  await row.getByRole("button", { name: "Delete jo" }).click();
  await sheet.getByRole("button", { name: "Delete operator" }).click();
  await expect(row).toHaveCount(0);
  await theirs.goto("/login");
  await theirs.getByLabel("Name").fill("jo");
  await theirs.getByLabel("Password").fill("another long password");
  await theirs.getByRole("button", { name: "Log in" }).click();
  await expect(theirs.getByRole("main").getByRole("alert")).toContainText("Incorrect name or password.");
  await takeAllScreenshots(theirs, info, "login");
  await context.close();
});

test("a user who fails to log in too often sees how long to wait", async ({ browser, lockkeeper }) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await context.newPage();
  await page.goto("/login");
  await page.getByLabel("Name").fill("nobody-of-this-name");
  const button = page.getByRole("button", { name: "Log in" });
  // On a busy machine, the delay may be over before the check. Further attempts increase the delay.
  await expect(async () => {
    await page.evaluate(async () => {
      const body = JSON.stringify({ name: "nobody-of-this-name", password: "a guess" });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      await Promise.all(Array.from({ length: 14 }, () => fetch("/api/v1/login", init)));
    });
    await page.getByLabel("Password").fill("a guess");
    await button.click();
    await expect(page.getByRole("main").getByRole("alert")).toContainText(/Try again in \d/, {
      timeout: 5000,
    });
    await page.getByLabel("Password").fill("one more");
    await expect(button).toHaveAttribute("title", "Too many attempts.", { timeout: 2000 });
  }).toPass();
  await context.close();
});

test("theme, language and help are in the settings, where a phone reaches them", async ({ page }, info) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/settings/you");
  const appearance = page.getByRole("region", { name: "Appearance" });
  await appearance.getByRole("radio", { name: "dark" }).check();
  await expect(page.locator("html")).toHaveClass(/dark/);
  await appearance.getByRole("button", { name: "Show keyboard shortcuts" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await takeScreenshot(page, info, "appearance-phone");
  await appearance.getByRole("radio", { name: "中文" }).click();
  await expect(page.getByRole("region", { name: "外观" })).toBeVisible();
});
