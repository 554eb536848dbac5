import type { Page } from "@playwright/test";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, test } from "./console.ts";

const panel = (page: Page) => page.getByRole("complementary", { name: "Filters" });
const branch = (page: Page, name: string) => page.getByRole("treeitem", { name: new RegExp(`^${name}`) });
/** A viewport in which the filters are open by default. */
const WIDE = { width: 1680, height: 900 };
const search = (page: Page) => page.getByLabel("Search locks");

test("facets are selected by keyboard, each field sets one filter term, and all can be cleared", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const acquire = (name: string, service: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(key(name))}/acquire`, {
      ...{ owner: name, leaseMs: 600_000, record: { service } },
    });
  await acquire("fx:a:1", "pay desk");
  await acquire("fx:a:2", "mail");
  await acquire("fx:b:3", "mail");
  await lockkeeper.redis.runCli("HSET", key("fx:a:stuck"), "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await page.setViewportSize(WIDE);
  await page.goto("/");
  await expect(panel(page).getByRole("treeitem").first()).toBeVisible();

  await page.getByRole("treeitem").first().focus();
  const path = key("fx:a:").split(":").slice(0, -1);
  for (const at of path.keys()) {
    const item = branch(page, `${path.slice(0, at + 1).join(":")}:`).first();
    await expect(item).toBeVisible();
    for (
      let step = 0;
      step < 100 && !(await item.evaluate((each) => each === document.activeElement));
      step++
    )
      await page.keyboard.press("ArrowDown");
    await expect(item).toBeFocused();
    if (at === path.length - 1) break;
    if ((await item.getAttribute("aria-expanded")) === "false") await page.keyboard.press("ArrowRight");
    await expect(item).toHaveAttribute("aria-expanded", "true");
  }
  const chosen = branch(page, key("fx:a:"));
  await expect(chosen).toHaveAttribute("aria-label", /3 held, 1 needs attention$/);
  await page.keyboard.press("Enter");
  await expect(search(page)).toHaveValue(`key:${key("fx:a:")}*`);
  await expect(chosen).toHaveAttribute("aria-selected", "true");

  const services = panel(page).getByRole("group", { name: "Service" });
  await expect(services.getByRole("checkbox")).toHaveCount(2);
  await services.getByRole("checkbox", { name: "pay desk" }).check();
  await expect(search(page)).toHaveValue(`key:${key("fx:a:")}* service:="pay desk"`);
  await expect(services.getByRole("checkbox", { name: "mail" })).toBeVisible();
  await services.getByRole("checkbox", { name: "mail" }).check();
  await expect(search(page)).toHaveValue(`key:${key("fx:a:")}* service:="mail"`);
  await expect(services.getByRole("checkbox", { checked: true })).toHaveCount(1);
  await assertAccessibleInThemes(page, "facets");
  await takeThemeScreenshots(page, info, "facets");
  await services.getByRole("checkbox", { name: "mail" }).uncheck();
  await expect(search(page)).toHaveValue(`key:${key("fx:a:")}*`);
  await search(page).fill(`key:${key("fx:a:")}* is:needs_attention format:redis*`);
  await panel(page).getByRole("button", { name: "Clear 2" }).click();
  await expect(search(page)).toHaveValue("is:needs_attention");
  await search(page).fill("held>soon");
  await expect(page.getByText("held must be “typical” or a duration")).toBeVisible();
});

test("each facet is one stop of the Tab key, and the skip link lands on the table", async ({
  page,
  lockkeeper,
  key,
}) => {
  await page.setViewportSize(WIDE);
  for (const service of ["tab-a", "tab-b", "tab-c"]) {
    await lockkeeper.api(`/locks/${encodeURIComponent(key(service))}/acquire`, {
      ...{ owner: service, leaseMs: 600_000, record: { service } },
    });
  }
  await page.goto(`/?q=${encodeURIComponent(`key:${key("tab-*")}`)}`);
  const services = panel(page).getByRole("group", { name: "Service" });
  await expect(services.getByRole("checkbox")).toHaveCount(3);
  await services.getByRole("checkbox").first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(services.getByRole("checkbox").nth(1)).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(services.locator(":focus")).toHaveCount(0);
  await page.keyboard.press("Shift+Tab");
  await expect(services.getByRole("checkbox").nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(services.getByRole("checkbox").nth(2)).toBeFocused();
  await page.keyboard.press("Space");
  await expect(services.getByRole("checkbox").nth(2)).toBeChecked();
  await page.keyboard.press("Tab");
  await expect(services.locator(":focus")).toHaveCount(0);
  await page.keyboard.press("Shift+Tab");
  await expect(services.getByRole("checkbox").nth(2)).toBeFocused();

  // From the top of the page, Tab and Enter are enough to reach the list of locks.
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
  });
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Locks" })).toBeFocused();
});

test("a collapsed filter panel stays collapsed, and the page does not shift on load", async ({
  page,
  lockkeeper,
  key,
}) => {
  await page.setViewportSize(WIDE);
  await lockkeeper.api(`/locks/${encodeURIComponent(key("collapsed"))}/acquire`, { owner: "me" });
  await page.goto("/");
  await expect(panel(page).getByRole("tree")).toBeVisible();
  await panel(page).getByRole("button", { name: "Hide filters" }).click();
  await expect(page.getByRole("button", { name: "Filters" })).toBeFocused();
  await page.getByRole("button", { name: "Overview options" }).click();
  await page.getByRole("menuitem", { name: "Hide overview" }).click();
  await page.goto("/", { waitUntil: "commit" });
  await expect(search(page)).toBeVisible();
  const before = await search(page).boundingBox();
  await expect(page.getByRole("button", { name: /^All \d/ })).toBeVisible();
  expect(await search(page).boundingBox()).toEqual(before);
  await expect(panel(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Filters" }).press("Enter");
  await expect(panel(page).getByRole("button", { name: "Hide filters" })).toBeFocused();
});

test("on a phone the filters open as a sheet, and a failed count shows an error", async ({ page }, info) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await page.getByRole("button", { name: "Filters" }).click();
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await sheet.getByRole("checkbox", { name: "no TTL" }).check();
  await expect(page).toHaveURL(/liveness:no_ttl/);
  await assertAccessibleInThemes(page, "facets on a phone");
  await takeThemeScreenshots(page, info, "facets-phone");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Filters, 1 active" })).toBeFocused();
  await page.route("**/api/v1/facets?**", (route) => route.abort());
  await page.goto("/?q=refused-words");
  await page.getByRole("button", { name: "Filters" }).click();
  await expect(sheet.getByRole("alert")).toContainText("did not respond");
  await page.unroute("**/api/v1/facets?**");
  await sheet.getByRole("button", { name: "Try again" }).click();
  await expect(sheet.getByRole("group", { name: "Liveness" })).toBeVisible();
});
