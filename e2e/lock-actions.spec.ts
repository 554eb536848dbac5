import { takeScreenshot } from "./accessibility.ts";
import { expect, test } from "./console.ts";

test("the lease of a holder is extended, and a note is left on the lock", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("more");
  const path = `/locks/${encodeURIComponent(name)}`;
  await lockkeeper.api(`${path}/acquire`, { owner: "migration@vm-4", leaseMs: 60_000 });
  await page.goto(path);
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("migration@vm-4");
  await page.getByRole("button", { name: "Extend lease…" }).click();
  const sheet = page.getByRole("dialog");
  const give = sheet.getByRole("button", { name: "Extend lease" });
  await expect(give).toHaveAttribute("title", "Enter a reason.");
  await sheet.getByLabel("New lease (from now)").selectOption("1 hour");
  await sheet.getByRole("textbox", { name: "Reason" }).fill("the migration is at 80 %");
  await takeScreenshot(page, info, "extend");
  await give.click();
  await expect(sheet.getByTestId("outcome")).toContainText(/Lease extended: (59 m|1 h)/);
  expect(Number(await lockkeeper.redis.runCli("PTTL", name))).toBeGreaterThan(3_000_000);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Extend lease…" })).toBeFocused();
  await expect(now).toContainText("59 m");

  await page.getByRole("button", { name: "Note…" }).click();
  await sheet.getByLabel("Note", { exact: true }).fill("Ask \u202epayments before you free it");
  await sheet.getByRole("button", { name: "Save note" }).click();
  const note = page.getByTestId("note");
  await expect(note).toContainText("before you free it");
  await expect(note).toContainText("mei");
  await expect(note).toContainText("for this hold");
  await expect(note).toContainText("<U+202E>");
  await takeScreenshot(page, info, "note");
  await page.keyboard.press("r");
  await expect(sheet.getByTestId("note")).toContainText("before you free it");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Note…" }).click();
  await sheet.getByRole("button", { name: "Delete note" }).click();
  await expect(note).toHaveCount(0);
});
