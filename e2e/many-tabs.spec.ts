import { expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
/** Number of tabs, which is more than the six connections that a browser opens to one host. */
const TABS = 10;

test("ten visible tabs of one browser stay live, and the last one can act", async ({
  page: first,
  lockkeeper,
  key,
}) => {
  const name = key("a");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "owner-a", leaseMs: 600_000 });
  const pages = [];
  const context = first.context();
  for (let n = 0; n < TABS; n++) {
    const page = n === 0 ? first : await context.newPage();
    await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
    await expect(page.getByRole("row").filter({ hasText: "owner-a" })).toHaveCount(1);
    pages.push(page);
  }
  await lockkeeper.api(`${pathOf(key("b"))}/acquire`, { owner: "owner-b", leaseMs: 600_000 });
  for (const page of pages) {
    await expect(page.getByRole("row").filter({ hasText: "owner-b" })).toHaveCount(1);
    await expect(page.getByTestId("connection")).not.toContainText(/stale|no data|connecting/i);
  }
  const last = pages.at(-1);
  if (last === undefined) throw new Error("no tab");
  await last.goto(pathOf(name));
  await last.getByRole("button", { name: "Release…", exact: true }).click();
  const sheet = last.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("its owner is gone");
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
});
