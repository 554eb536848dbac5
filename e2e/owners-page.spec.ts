import { assertAccessible, takeThemeScreenshots } from "./accessibility.ts";
import { expect, test } from "./console.ts";

test("all locks of a dead owner are reviewed and released at once, and no others", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const acquire = (name: string, owner: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(key(name))}/acquire`, {
      owner,
      leaseMs: 600_000,
      record: { service: "checkout", host: "pod-7" },
    });
  for (const name of ["a", "b", "c"]) await acquire(name, "gone at:pod-7");
  await acquire("d", "gone at:pod-7 not");
  await acquire("of-another-kind", "gone at:pod-7");
  await page.goto("/");
  await page.getByRole("link", { name: "Owners" }).click();
  await page.getByLabel("Search owners").fill(`key:${key("?")}`);
  const row = page.getByRole("row").filter({ hasText: "gone at:pod-7" }).first();
  await expect(page.getByRole("row").filter({ hasText: "pod-7" })).toHaveCount(2);
  await expect(row.getByRole("cell").nth(1)).toHaveText("3");
  await takeThemeScreenshots(page, info, "owners");
  await assertAccessible(page, "owners");
  await page.getByRole("button", { name: "Release all locks held by gone at:pod-7", exact: true }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("region", { name: "Will be released: 3" })).toBeVisible();
  await sheet.getByRole("textbox", { name: "Reason" }).fill("pod-7 is gone");
  await sheet.getByRole("button", { name: "Release 3 locks" }).click();
  await expect(sheet.getByTestId("bulk-outcome")).toContainText("All released.");
  for (const name of ["d", "of-another-kind"])
    expect(await lockkeeper.redis.runCli("EXISTS", key(name))).toBe("1");
  await sheet.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("row").filter({ hasText: "pod-7" })).toHaveCount(1);
  await page.getByRole("button", { name: "service" }).click();
  await expect(page).toHaveURL(/by=service/);
  await expect(page.getByRole("row").filter({ hasText: "checkout" })).toHaveCount(1);
  await page.getByRole("link", { name: "checkout" }).click();
  await expect(page.getByLabel("Search locks")).toHaveValue(/service:="?checkout/);
  await expect(page.getByRole("row").filter({ hasText: "checkout" })).toHaveCount(1);
});

test("owners with trouble come first, the head names the grouping, and a healthy row is calm", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const host = `h${key("x").slice(5, 13)}`;
  const acquire = (name: string, owner: string, service: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(key(name))}/acquire`, {
      ...{ owner, leaseMs: 600_000, record: { service, host: `${host}-${service}` } },
    });
  for (const name of ["a", "b", "c"]) await acquire(name, "busy", "busy");
  await acquire("d", "other", "other");
  const stuck = "8743c9c0-0795-4907-87fd-6c719a6b4586:77";
  await lockkeeper.redis.runCli("HSET", key("stuck"), stuck, "1");
  await page.goto(`/owners?q=${encodeURIComponent(`key:${key("")}*`)}`);
  const rows = page.getByRole("row");
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText("8743c9c0…4586:77");
  await expect(rows.nth(1)).toContainText("1 with no TTL");
  await expect(rows.nth(2)).toContainText("busy");
  const colorOf = (at: number) =>
    rows
      .nth(at)
      .getByRole("button")
      .evaluate((button) => getComputedStyle(button).borderTopColor);
  expect(await colorOf(1)).not.toBe(await colorOf(2));
  await expect(page.getByRole("columnheader", { name: "Owner" })).toBeVisible();
  await page.getByRole("button", { name: "host", exact: true }).click();
  await expect(page.getByRole("columnheader", { name: "Host" })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const head of ["Host", "Locks"]) {
    const isCut = await page
      .getByRole("columnheader", { name: head })
      .evaluate((each) => each.scrollWidth > each.clientWidth);
    expect(isCut, head).toBe(false);
  }
  await takeThemeScreenshots(page, info, "owners-phone");
  await assertAccessible(page, "owners by host on a phone");
});
