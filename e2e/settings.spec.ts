import AxeBuilder from "@axe-core/playwright";
import type { Page, TestInfo } from "@playwright/test";
import { expect, test } from "./console.ts";

const RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"];

async function check(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
}

/** In both themes, and as a phone shows it. */
async function look(page: Page, info: TestInfo, name: string): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect(page.locator("html")).toHaveClass(new RegExp(colorScheme));
    await page.mouse.move(0, 0);
    await check(page);
    await page.screenshot({ path: info.outputPath(`${name}-${colorScheme}.png`) });
  }
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.screenshot({ path: info.outputPath(`${name}-phone.png`) });
  if (size !== null) await page.setViewportSize(size);
}

test("an API key is made, used, rotated and revoked, and its secret is shown once", async ({
  page,
  lockkeeper,
}, info) => {
  test.setTimeout(90_000);
  const asApp = (secret: string) =>
    fetch(`${lockkeeper.url}/api/v1/locks`, { headers: { authorization: `Bearer ${secret}` } });
  await page.goto("/");
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Settings" }).click();
  await page.goto("/settings/keys");
  await page.getByRole("button", { name: "New key…" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("button", { name: "Make the key" })).toHaveAttribute(
    "title",
    "Give it a name.",
  );
  await sheet.getByLabel("Name").fill("bad name!");
  await sheet.getByRole("button", { name: "Make the key" }).click();
  await expect(sheet.getByRole("alert")).toContainText("letter");
  await sheet.getByLabel("Name").fill("checkout");
  await sheet.getByRole("textbox", { name: "Keys" }).fill("lock:orders:*\nlock:payments:*");
  await look(page, info, "new-key");
  await sheet.getByRole("button", { name: "Make the key" }).click();
  await expect(sheet).toContainText("It is shown this once");
  const secret = await sheet.getByText(/^lk_/).innerText();
  expect((await asApp(secret)).status).toBe(200);
  await page.keyboard.press("Escape");
  await expect(sheet).toBeVisible();
  await check(page);
  await sheet.getByRole("button", { name: "I have stored it" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);

  const row = page.getByRole("row").filter({ hasText: "checkout" });
  await expect(row).toContainText("lock:orders:*");
  await expect(row).toContainText("in 89 d");
  await look(page, info, "keys");

  await row.getByRole("button", { name: "Rotate checkout" }).click();
  await sheet.getByRole("button", { name: "Make a new secret" }).click();
  const next = await sheet.getByText(/^lk_/).innerText();
  await sheet.getByRole("button", { name: "I have stored it" }).click();
  await expect(row).toContainText("old secret works for");
  expect([(await asApp(secret)).status, (await asApp(next)).status]).toEqual([200, 200]);

  await row.getByRole("button", { name: "Revoke checkout" }).click();
  await expect(sheet).toContainText("What it holds stays held");
  await sheet.getByRole("button", { name: "Revoke the key" }).click();
  await expect(row).toContainText("revoked");
  expect([(await asApp(secret)).status, (await asApp(next)).status]).toEqual([401, 401]);
});
