import type { Page } from "@playwright/test";
import { takeScreenshot, takeThemeScreenshots } from "./accessibility.ts";
import { expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const actions = (page: Page) => page.getByRole("region", { name: "Actions" });

test("a force-release appears in the audit with what was seen, and can be filtered, exported and verified", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const names = [key("a"), key("b")];
  for (const name of names) {
    const { body } = await lockkeeper.api(`${pathOf(name)}/acquire`, {
      owner: "stuck@vm-3",
      leaseMs: 600_000,
    });
    expect(body.owner).toBe("stuck@vm-3");
  }
  const [first = "", second = ""] = names;
  await page.goto(pathOf(first));
  await page.getByRole("button", { name: "Release…" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("=cmd()|its \u202enode is gone");
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  await lockkeeper.api(`${pathOf(second)}/force-release`, { expectedVersion: "fence.1", reason: "too late" });

  await page.goto(`/audit?key=${encodeURIComponent(first)}`);
  const freed = actions(page).getByRole("listitem").filter({ hasText: first });
  await expect(freed).toHaveCount(1);
  await expect(freed).toContainText("mei");
  await expect(freed).toContainText("released");
  await expect(freed).toContainText("<U+202E>");
  await freed.locator("summary").press("Enter");
  await expect(freed).toContainText("stuck@vm-3");
  await expect(freed).toContainText("Version seen");
  await expect(freed).toContainText("operator:mei");
  await takeThemeScreenshots(page, info, "audit");

  await page.getByRole("button", { name: "Show all" }).click();
  await expect(page).not.toHaveURL(/key=/);
  await page.getByLabel("Outcome").fill("changed");
  await page.getByLabel("Outcome").press("Enter");
  await expect(page).toHaveURL(/outcome=changed/);
  await expect(actions(page).getByRole("listitem").filter({ hasText: second })).toContainText("key:root");
  await expect(actions(page).getByRole("listitem").filter({ hasText: first })).toHaveCount(0);
  await takeScreenshot(page, info, "filtered");

  // Sets the time range with the keyboard only. No action is older than an hour. Escape must change nothing.
  const when = page.getByRole("button", { name: "Any time" });
  await when.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Time range" });
  await expect(dialog.getByLabel("From")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(when).toBeFocused();
  await when.press("Enter");
  const anHourAgo = await page.evaluate(() => {
    const now = Date.now();
    return new Date(now - new Date().getTimezoneOffset() * 60_000 - 3_600_000)
      .toISOString()
      .slice(0, 19)
      .replace("T", " ");
  });
  await dialog.getByLabel("To").fill(anHourAgo);
  await takeScreenshot(page, info, "when");
  await dialog.getByLabel("To").press("Enter");
  await expect(page).toHaveURL(/to=\d+/);
  await expect(page.getByRole("heading", { name: "No matching actions" })).toBeVisible();
  await page.getByRole("button", { name: /^Until \d/ }).click();
  await dialog.getByRole("button", { name: "Any time" }).click();
  await expect(actions(page).getByRole("listitem").filter({ hasText: second })).toBeVisible();
  const lines = await page.getByRole("group", { name: "Filters" }).getByRole("textbox").all();
  const tops = await Promise.all(lines.slice(1).map(async (box) => (await box.boundingBox())?.y));
  expect(new Set(tops).size).toBe(1);

  await page.getByRole("button", { name: "Verify audit log" }).click();
  await expect(page.getByTestId("chain")).toContainText("Audit log is intact");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  expect((await download).suggestedFilename()).toBe("lockkeeper-audit.csv");
  const csv = await page.evaluate(async () => (await fetch("/api/v1/audit/export?format=csv")).text());
  expect(csv).toContain("'=cmd()");
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(actions(page).getByRole("listitem").first()).toBeVisible();
  await takeScreenshot(page, info, "phone");
});

test("a user who is not an admin has no audit in the menu and sees who may open it", async ({
  browser,
  lockkeeper,
}) => {
  const made = await lockkeeper.api("/operators", {
    name: "looker",
    // An admin of this target only. The audit log covers all targets, so this role does not give access to it.
    roles: { "*": "viewer", default: "admin" },
    password: "a long password",
  });
  expect(made.status).toBe(201);
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await context.newPage();
  await page.goto(`${lockkeeper.url}/login`);
  await page.getByLabel("Name").fill("looker");
  await page.getByLabel("Password").fill("a long password");
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByTestId("operator")).toContainText("looker · admin");
  const menu = page.getByRole("navigation", { name: "Console" });
  await expect(menu.getByRole("link", { name: "Settings" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Audit log" })).toHaveCount(0);
  await menu.getByRole("link", { name: "Settings" }).click();
  const settings = page.getByRole("navigation", { name: "Settings" });
  await expect(settings.getByRole("link")).toHaveText(["Account", "Sessions"]);
  await page.goto("/audit");
  await expect(page.getByRole("heading", { name: "Global admins only" })).toBeVisible();
  await context.close();
});

test("a failed login stands below the login that followed it, with the name that was tried", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("op").replaceAll(":", "-");
  const password = "a long password";
  const made = await lockkeeper.api("/operators", { name, roles: { "*": "viewer" }, password });
  expect(made.status).toBe(201);
  const logIn = async (tried: string) => {
    const response = await fetch(`${lockkeeper.url}/api/v1/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: lockkeeper.url },
      body: JSON.stringify({ name, password: tried }),
    });
    return response.status;
  };
  expect(await logIn("not the password")).toBe(401);
  expect(await logIn(password)).toBe(200);
  await page.goto(`/audit?action=login&who=${name}`);
  const rows = actions(page).getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText(/Log in.*done/);
  await expect(rows.last()).toContainText(`nobody tried ${name}`);
  await expect(rows.last()).toContainText("wrong credentials");
  await expect(rows.last()).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
  await rows.last().locator("summary").press("Enter");
  await expect(rows.last()).toContainText("unauthenticated");
});
