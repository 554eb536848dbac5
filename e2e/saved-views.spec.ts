import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, logIn, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const shown = (filter: string, more = "") => `/?q=${encodeURIComponent(filter)}${more}`;
const views = (page: Page) => page.getByRole("group", { name: "Views" });

/** Records what the page writes to the clipboard, because Lockkeeper's pages may not read the clipboard. */
async function noteCopies(page: Page): Promise<void> {
  await page.context().grantPermissions(["clipboard-write"]);
  await page.addInitScript(() => {
    const write = navigator.clipboard.writeText.bind(navigator.clipboard);
    navigator.clipboard.writeText = (text) => {
      document.documentElement.dataset.copied = text;
      return write(text);
    };
  });
}

/** Selects a menu item and returns the text that the page writes to the clipboard. */
async function copied(page: Page, item: string | RegExp): Promise<string> {
  const html = page.locator("html");
  await html.evaluate((element) => delete element.dataset.copied);
  await page.getByRole("menuitem", { name: item }).click();
  await expect(html).toHaveAttribute("data-copied");
  await expect(page.getByTestId("brief-note").filter({ hasText: "Copied" })).toBeVisible();
  return (await html.getAttribute("data-copied")) ?? "";
}

test("a saved view appears as a tab in every browser until it is deleted", async ({
  page,
  browser,
  lockkeeper,
  key,
}, info) => {
  await noteCopies(page);
  await lockkeeper.api(`${pathOf(key("a"))}/acquire`, { owner: "owner-a", leaseMs: 600_000 });
  const filter = `key:${key("*")}`;
  await page.goto(shown(filter, "&sort=-held&cols=key,held,owner"));
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "Save view" }).click();
  const form = page.getByRole("dialog", { name: "Save view" });
  await expect(form.getByRole("textbox", { name: "Name" })).toBeFocused();
  await expect(form).toContainText(filter);
  await form.getByRole("textbox", { name: "Name" }).fill("payments EU");
  await takeThemeScreenshots(page, info, "save");
  await assertAccessibleInThemes(page, "save");
  await page.keyboard.press("Enter");
  await expect(form).toHaveCount(0);
  const tab = views(page).getByRole("button", { name: /^payments EU/ });
  await expect(tab).toHaveAttribute("aria-pressed", "true");
  await expect(tab).toContainText("1");
  await expect(page.getByRole("button", { name: "Save view" })).toBeFocused();

  // The same operator sees the view in another browser, with its sort order and columns.
  const other = await browser.newContext({ baseURL: lockkeeper.url });
  const elsewhere = await logIn(other, lockkeeper);
  await views(elsewhere)
    .getByRole("button", { name: /^payments EU/ })
    .click();
  await expect(elsewhere).toHaveURL(/sort=-held/);
  await expect(elsewhere).toHaveURL(/cols=key,held,owner/);
  await expect(elsewhere.getByRole("row").filter({ hasText: "owner-" })).toHaveCount(1);
  await other.close();

  const more = page.getByRole("button", { name: "Options for payments EU" });
  await more.click();
  await expect(page.getByRole("menuitem", { name: "Move left" })).toContainText("Already the first view");
  await takeThemeScreenshots(page, info, "view-menu");
  await assertAccessibleInThemes(page, "view-menu");
  const link = await copied(page, "Copy link");
  expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
    ...{ q: filter, sort: "-held", cols: "key,held,owner" },
  });
  await expect(more).toBeFocused();

  // The tab shows that the search differs from the saved view, and its menu can update the view.
  await views(page).getByRole("button", { name: "All", exact: false }).first().click();
  await tab.click();
  await page.getByRole("combobox", { name: "Search locks" }).fill(`${filter} waiters<1`);
  await expect(tab).toContainText("unsaved changes");
  await more.click();
  await page.getByRole("menuitem", { name: "Update to current search" }).click();
  await expect(tab).toHaveAttribute("aria-pressed", "true");
  await more.click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  const name = page.getByRole("dialog").getByRole("textbox", { name: "Name" });
  await expect(name).toHaveValue("payments EU");
  await expect(name).toBeFocused();
  await name.fill("\u202eEU");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText(
    "must have 1 to 60 visible characters",
  );
  await name.fill("EU");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Options for EU" }).click();
  await page.getByRole("menuitem", { name: "Share with the team" }).click();
  await expect(views(page).getByRole("button", { name: "shared with the team EU" })).toBeVisible();
  await page.getByRole("button", { name: "Options for EU" }).click();
  await page.getByRole("menuitem", { name: "Delete view" }).click();
  await expect(views(page).getByRole("button", { name: "EU" })).toHaveCount(0);
});

test("all matching locks are exported as a file, and a failed export is reported in place", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const bad = key('=cmd|"x"');
  await lockkeeper.api(`${pathOf(bad)}/acquire`, { owner: "owner-bad", leaseMs: 600_000 });
  for (const n of [1, 2])
    await lockkeeper.api(`${pathOf(key(`${n}`))}/acquire`, { owner: `owner-${n}`, leaseMs: 600_000 });
  await page.goto(shown(`key:${key("*")}`, "&sort=owner"));
  await expect(page.getByTestId("total")).toContainText("3 of");
  const opener = page.getByRole("button", { name: "Export…" });
  await opener.click();
  const csv = page.getByRole("menuitem", { name: /^CSV/ });
  await expect(csv).toContainText("3 locks");
  // The export opens like any other link, with the browser's session.
  await expect(csv).toHaveAttribute("href", /^\/api\/v1\/export\/locks\?format=csv&filter=/);
  await takeThemeScreenshots(page, info, "export");
  await assertAccessibleInThemes(page, "export");
  const [file] = await Promise.all([page.waitForEvent("download"), csv.click()]);
  expect(file.suggestedFilename()).toBe("lockkeeper-locks-default.csv");
  const text = await readFile(await file.path(), "utf8");
  expect(text.trimEnd().split("\r\n")).toHaveLength(4);
  expect(text).toContain('=cmd|""x""');
  await expect(page.getByTestId("brief-note").filter({ hasText: "Exported: 3" })).toBeVisible();
  await opener.click();
  const [lines] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^JSON/ }).click(),
  ]);
  const owners = (await readFile(await lines.path(), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).holders[0].owner);
  expect(owners).toEqual(["owner-1", "owner-2", "owner-bad"]);
});

test("a lock is copied as link, key, owner or command, by mouse or keyboard, and so is the search", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  await noteCopies(page);
  const hostile = key("it's $(id)");
  await lockkeeper.redis.runCli("SET", hostile, "owner-x", "PX", "600000");
  await page.goto(shown(`key:${key("*")}`));
  const row = page.getByRole("row").filter({ hasText: "owner-x" });
  await expect(row).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("c");
  await takeThemeScreenshots(page, info, "copy");
  await assertAccessibleInThemes(page, "copy");
  expect(await copied(page, /^Key /)).toBe(hostile);
  await expect(row).toBeFocused();
  const menu = async () => await row.getByRole("button", { name: /^Copy from/ }).click();
  await menu();
  expect(await copied(page, /^redis-cli: inspect/)).toBe(`redis-cli GET '${hostile.replace("'", "'\\''")}'`);
  await menu();
  expect(await copied(page, /^redis-cli: release/)).toMatch(
    /^redis-cli EVAL 'if redis\.call\("GET", KEYS\[1\]\) == "owner-x" then return redis\.call\("DEL", KEYS\[1\]\)/,
  );
  await menu();
  expect(await copied(page, /^Owner/)).toBe("owner-x");
  await page.getByRole("button", { name: "Copy…" }).click();
  expect(await copied(page, /^curl/)).toContain("/api/v1/locks?filter=key%3Alock");
  await page.getByRole("button", { name: "Copy…" }).click();
  expect(new URL(await copied(page, /^Link/)).searchParams.get("q")).toBe(`key:${key("*")}`);

  await page.goto(pathOf(hostile));
  await expect(page.getByText("owner-x").first()).toBeVisible();
  await page.keyboard.press("c");
  expect(await copied(page, /^Link/)).toBe(`${lockkeeper.url}${pathOf(hostile)}`);
});
