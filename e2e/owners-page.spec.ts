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
  await page.getByRole("button", { name: "Free all of gone at:pod-7", exact: true }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("region", { name: "Would be freed: 3" })).toBeVisible();
  await sheet.getByRole("textbox", { name: "Reason" }).fill("pod-7 is gone");
  await sheet.getByRole("button", { name: "Free 3 locks" }).click();
  await expect(sheet.getByTestId("bulk-outcome")).toContainText("All freed.");
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
