import type { Page } from "@playwright/test";
import { expect, test } from "./console.ts";

const overview = (page: Page) => page.getByRole("region", { name: "Overview" });
const figure = (page: Page, measure: string) => overview(page).locator(`[data-measure=${measure}]`);

/** Selects an item in the overview's menu. */
async function choose(page: Page, entry: string): Promise<void> {
  await overview(page).getByRole("button", { name: "Overview options" }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Makes the page refetch immediately, as when a user returns to it. Otherwise, the page refetches every 10 s. */
const askAgain = (page: Page) => page.evaluate(() => dispatchEvent(new Event("visibilitychange")));

test("the overview range is in the URL, and a closed overview stays closed", async ({ page }) => {
  await page.goto("/");
  await choose(page, "Sparklines: last 24 hours");
  await expect(page).toHaveURL(/range=day/);
  await expect(figure(page, "held").getByRole("img")).toHaveAttribute("aria-label", /last 24 hours/);
  await choose(page, "Hide overview");
  await expect(overview(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Overview" })).toBeFocused();
  await page.reload();
  await expect(page.getByRole("button", { name: /^All \d/ })).toBeVisible();
  await expect(overview(page)).toHaveCount(0);
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Overview" }).press("Enter");
  await expect(overview(page)).toBeVisible();
  await expect(overview(page).getByRole("button", { name: "Overview options" })).toBeFocused();
});

test("the overview loads without moving the table", async ({ page }) => {
  let letCome = () => {};
  const late = new Promise<void>((resolve) => {
    letCome = resolve;
  });
  await page.route("**/api/v1/stats?**", async (route) => {
    await late;
    await route.continue();
  });
  const search = page.getByLabel("Search locks");
  for (const width of [1440, 700]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/", { waitUntil: "commit" });
    await expect(search).toBeVisible();
    const before = await search.boundingBox();
    letCome();
    await expect(figure(page, "held")).toContainText(/\d/);
    expect((await search.boundingBox())?.y).toBe(before?.y);
  }
});

test("on a phone the overview opens on tap", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await expect(page.getByRole("button", { name: /^All \d/ })).toBeVisible();
  await expect(overview(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Overview" }).click();
  await expect(figure(page, "waitedMsP95")).toBeVisible();
});

test("stale overview figures show their time, and missing ones show an error", async ({ page }) => {
  await page.goto("/");
  await expect(figure(page, "held").getByRole("img")).toBeVisible();
  await page.route("**/api/v1/stats?**", (route) => route.abort());
  await askAgain(page);
  await expect(overview(page).getByRole("status")).toContainText("Figures from");
  await page.reload();
  await expect(overview(page).getByRole("alert")).toContainText("did not respond");
  await page.unroute("**/api/v1/stats?**");
  await overview(page).getByRole("button", { name: "Try again" }).click();
  await expect(figure(page, "held").getByRole("img")).toBeVisible();
});

test("the overview counts the current locks, links to them and names the patterns that stand out", async ({
  page,
  lockkeeper,
  key,
}) => {
  const acquire = (name: string, owner: string, leaseMs: number) =>
    lockkeeper.api(`/locks/${encodeURIComponent(key(name))}/acquire`, { owner, leaseMs });
  for (const name of ["a", "b"]) await acquire(name, "checkout", 600_000);
  // Causes more refusals than all other tests on this console together, so that this pattern is the most contended one.
  for (let refusal = 0; refusal < 30; refusal++) {
    expect((await acquire("a", "billing", 1000)).status).toBe(409);
  }
  await lockkeeper.redis.runCli("HSET", key("stuck"), "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await page.goto("/");
  await expect(figure(page, "held")).toContainText(/^Held\D*\d/);
  // The first point of the series is complete within 10 s of the start.
  await expect(async () => {
    await askAgain(page);
    const line = figure(page, "acquisitionsPerS").getByRole("img");
    await expect(line).toHaveAttribute("aria-label", /Over the last hour \(data since/, { timeout: 1000 });
  }).toPass();
  await expect(figure(page, "needsAttention").getByRole("button")).toContainText(/^[1-9]/);
  await figure(page, "needsAttention").getByRole("button").click();
  await expect(page.getByLabel("Search locks")).toHaveValue("is:needs_attention");
  await expect(page.getByRole("row").filter({ hasText: key("stuck") })).toHaveCount(1);
  await choose(page, "Show patterns");
  const contended = overview(page).getByRole("region", { name: "Most contended" });
  await contended.getByRole("button").first().click();
  await expect(page.getByLabel("Search locks")).toHaveValue(/^key:lock:/);
  await expect(page.getByRole("row").filter({ hasText: "checkout" })).not.toHaveCount(0);
});
