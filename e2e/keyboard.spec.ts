import { expect, test } from "./console.ts";

test("a lock is found, inspected and released by keyboard alone", async ({ page, lockkeeper, key }) => {
  const name = key("keyboard");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "stuck@vm-9" });
  await page.goto("/");
  await expect(page.locator("[data-path]").first()).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(`key:${name}`);
  await expect(page.locator("[data-path]")).toHaveCount(1);
  await expect(page.locator("[data-path]")).toContainText("stuck@vm-9");
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
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});
