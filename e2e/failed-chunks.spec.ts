import { expect, test } from "./console.ts";

test("a part that fails to load shows an error in its place, and the rest of the page works", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("half");
  const take = (owner: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner, leaseMs: 600_000 });
  await take("me@vm-1");
  // Prevents idle callbacks, because the page would use them to preload the release sheet.
  await page.addInitScript(() => {
    Object.assign(window, { requestIdleCallback: () => 0 });
  });
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  const row = page.getByRole("row").filter({ hasText: "me@vm-1" });
  await expect(row).toBeVisible();
  // Simulates an update of the console, after which the files that an open page requests no longer exist.
  await page.route("**/_next/static/chunks/**", (route) => route.abort());
  await row.getByRole("button", { name: `Release ${name}` }).click();
  const notice = page.getByRole("alert").filter({ hasText: "could not be loaded" });
  await expect(notice).toContainText("The console was probably updated.");
  await lockkeeper.callHold("release", `/locks/${encodeURIComponent(name)}`);
  await take("you@vm-2");
  await expect(page.getByRole("row").filter({ hasText: "you@vm-2" })).toBeVisible();
  await page.unroute("**/_next/static/chunks/**");
  await notice.getByRole("button", { name: "Reload page" }).click();
  await expect(page.getByRole("row").filter({ hasText: "you@vm-2" })).toBeVisible();
  await expect(notice).toBeHidden();
  await page.getByRole("button", { name: `Release ${name}` }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
});
