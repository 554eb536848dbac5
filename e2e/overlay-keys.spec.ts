import type { Page } from "@playwright/test";
import { shell } from "../lib/i18n/en/shell.tsx";
import { ui } from "../lib/i18n/en/ui.ts";
import { viewTools } from "../lib/i18n/en/view-tools.ts";
import { views } from "../lib/i18n/en/views.ts";
import { expect, test } from "./console.ts";

const LATENCY_MS = 400;
const CHUNKS = "**/_next/static/chunks/**";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const listOf = (pattern: string) => `/?q=${encodeURIComponent(`key:${pattern}`)}`;

/** Prevents the page from preloading code that it does not need yet. */
async function preventPreload(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(window, { requestIdleCallback: () => 0 });
  });
}

/** Delays every request from now on by at least `LATENCY_MS`. */
async function delayRequests(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await page.route(CHUNKS, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    await route.continue();
  });
}

async function expectUntouchedRows(page: Page): Promise<void> {
  await expect(page.getByRole("toolbar", { name: viewTools.selection })).toHaveCount(0);
  await expect(page.locator("[data-path] input:checked")).toHaveCount(0);
  await expect(page.getByRole("button", { name: views.pause, exact: true })).toBeVisible();
}

for (const delay of [10, 80]) {
  test(`at ${LATENCY_MS} ms latency, the palette gets every key typed ${delay} ms apart`, async ({
    page,
    lockkeeper,
    key,
  }) => {
    for (const name of ["1", "12", "2"])
      await lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `holder-${name}`, leaseMs: 600_000 });
    await preventPreload(page);
    await page.goto(listOf(key("*")));
    await expect(page.locator("[data-path]")).toHaveCount(3);
    const row = page.locator("[data-path]").filter({ hasText: "holder-12" });
    await row.click();
    await expect(row).toBeFocused();
    await delayRequests(page);

    // Each of these characters is also a keyboard shortcut of the list.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("krpxjc?kr", { delay });
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await expect(palette.getByRole("combobox")).toHaveValue("krpxjc?kr");
    await expect(page.getByRole("dialog")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expectUntouchedRows(page);
    await expect(row).toBeFocused();

    // Enter waits for the search results, although the typed text already matches commands for the focused row.
    await page.keyboard.press("Control+k");
    await page.keyboard.type(key("1"), { delay });
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/locks/[^/?]*${encodeURIComponent(":1")}$`));
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
}

test("no key acts while a release dialog opens, and Escape cancels it", async ({ page, lockkeeper, key }) => {
  for (const name of ["a", "b"])
    await lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `holder-${name}`, leaseMs: 600_000 });
  await preventPreload(page);
  await page.goto(listOf(key("*")));
  await expect(page.locator("[data-path]")).toHaveCount(2);
  let release = () => undefined as unknown;
  const isReleased = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page.route(CHUNKS, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.keyboard.press("j");
  const row = page.locator("tr:focus");
  const path = await row.getAttribute("data-path");
  await page.keyboard.press("r");
  await expect(page.getByText(ui.opening)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText(ui.opening)).toHaveCount(0);
  await expect(row).toHaveAttribute("data-path", path ?? "");

  await page.keyboard.press("r");
  await page.keyboard.type("xpjk?rc/");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  release();
  const sheet = page.getByRole("dialog");
  await expect(sheet.locator(":focus")).toHaveCount(1);
  await expect(sheet).toHaveCount(1);
  await expect(page).toHaveURL(/\?q=/);
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expectUntouchedRows(page);
  await expect(row).toHaveAttribute("data-path", path ?? "");
});

test("a dialog that cannot be loaded returns the keys and says that the server is unreachable", async ({
  page,
  lockkeeper,
  key,
}) => {
  for (const name of ["a", "b"])
    await lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `holder-${name}`, leaseMs: 600_000 });
  await preventPreload(page);
  await page.goto(listOf(key("*")));
  const rows = page.locator("[data-path]");
  await expect(rows).toHaveCount(2);
  await page.route(CHUNKS, (route) => route.abort());
  await page.route("**/api/v1/session", (route) => route.abort());
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  const failure = page
    .getByRole("alert")
    .filter({ hasText: shell.loadFailure.title(shell.loadFailure.dialog) });
  await expect(failure).toContainText("Lockkeeper is unreachable.");
  await expect(failure.getByRole("button", { name: "Try again" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(failure).toHaveCount(0);
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press("j");
  await expect(rows.nth(1)).toBeFocused();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("owners");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("Lockkeeper is unreachable.");
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  await expect(failure).toContainText("Lockkeeper is unreachable.");
  await page.unroute(CHUNKS);
  await page.unroute("**/api/v1/session");
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("dialog").locator(":focus")).toHaveCount(1);
});

test("each dialog of the lock page captures the keys while it opens", async ({ page, lockkeeper, key }) => {
  const name = key("dialogs");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "holder", leaseMs: 600_000 });
  await preventPreload(page);
  await page.goto(pathOf(name));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("holder");
  await expect(page.getByRole("button", { name: "Note…" })).toBeVisible();
  await delayRequests(page);
  for (const open of [
    () => page.keyboard.press("r"),
    () => page.keyboard.press("?"),
    () => page.getByRole("button", { name: "Note…" }).click(),
    () => page.getByRole("button", { name: "Extend lease…" }).click(),
  ]) {
    await open();
    await page.keyboard.type("rc?r");
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog").locator(":focus")).toHaveCount(1);
    await expect(page.getByRole("dialog")).toHaveCount(1);
    await expect(page.getByRole("dialog", { name: "Search and commands" })).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
});
