import { expect, test } from "./console.ts";
import { assertAccessibleInThemes } from "./look.ts";

test("no page breaks an accessibility rule in either theme", async ({ page, lockkeeper, key }) => {
  test.setTimeout(120_000);
  const name = key("axe");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, {
    owner: "me@vm-1",
    leaseMs: 600_000,
    record: { service: "billing" },
  });
  const check = (what: string) => assertAccessibleInThemes(page, what);
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/note`, { note: "mei looks into it" });
  await page.goto("/");
  await expect(page.getByRole("row").filter({ hasText: "me@vm-1" }).first()).toBeVisible();
  await page.getByRole("checkbox", { name: /^Tick/ }).first().click();
  await check("locks");
  await page.goto(`/locks/${encodeURIComponent(name)}`);
  await expect(page.getByText("me@vm-1").first()).toBeVisible();
  await check("lock");
  await page.getByRole("button", { name: "More time…" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await check("more time");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Note…" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await check("note sheet");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Free/ }).first().click();
  await page.getByRole("dialog").getByText("Release now").first().click();
  await check("sheet");
  await page.goto("/events");
  await expect(page.getByText("acquired").first()).toBeVisible();
  await check("events");
  await page.goto("/formats");
  await expect(page.getByRole("button", { name: "Preview rule" })).toBeVisible();
  await page.getByRole("button", { name: /^Find locks/ }).click();
  await expect(page.getByTestId("finder").getByRole("listitem").first()).toBeVisible();
  await check("formats");
  await page.goto("/targets");
  await expect(page.getByText("Nothing is kept on disk").first()).toBeVisible();
  await check("targets");
  await page.goto(`/audit?key=${encodeURIComponent(name)}`);
  await page.getByRole("listitem").filter({ hasText: "note" }).locator("summary").click();
  await check("audit");
  await page.getByRole("button", { name: "Any time" }).click();
  await expect(page.getByRole("dialog", { name: "When it was done" })).toBeVisible();
  await check("audit: when");
  await page.goto("/settings/you");
  for (const part of ["You", "API keys", "Operators", "Sessions"]) {
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: part }).click();
    await expect(page.getByRole("link", { name: part })).toHaveAttribute("aria-current", "page");
    await expect(page.getByText("Looking…")).toHaveCount(0);
    await check(`settings: ${part}`);
  }
  await page.goto("/login");
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  await check("login");
});

test("a lock is found, looked at and freed by keyboard alone", async ({ page, lockkeeper, key }) => {
  const name = key("keyboard");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "stuck@vm-9" });
  await page.goto("/");
  await expect(page.getByRole("row").filter({ hasText: "stuck@vm-9" })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(`key:${name}`);
  await expect(page.getByRole("row").filter({ hasText: "vm-" })).toHaveCount(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.type("stuck since noon");
  for (
    let step = 0;
    step < 12 &&
    !(await sheet
      .getByRole("button", { name: "Release now" })
      .evaluate((node) => node === document.activeElement));
    step++
  ) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.cli("EXISTS", name)).toBe("0");
});
