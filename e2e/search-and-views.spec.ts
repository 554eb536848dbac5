import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const shown = (filter: string) => `/?q=${encodeURIComponent(filter)}`;

test("locks that need attention are listed first, and a view selects them with an API filter", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  for (const name of ["a", "b"]) {
    await lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `owner-${name}`, leaseMs: 600_000 });
  }
  await lockkeeper.redis.runCli("SET", key("stuck"), "owner-stuck");
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  const search = `key:${key("*")}`;
  await page.goto(shown(search));
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText("owner-stuck");
  await expect(rows.first()).toContainText("never expires");
  const views = page.getByRole("group", { name: "Views" });
  await takeThemeScreenshots(page, info, "views-all");
  await views.getByRole("button", { name: "Needs attention" }).click();
  await expect(rows).toHaveCount(1);
  await expect(views.getByRole("button", { name: "Needs attention" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  expect(new URL(page.url()).searchParams.get("q")).toBe(`is:needs_attention ${search}`);
  await expect(views.getByRole("button", { name: "Needs attention" })).toContainText("1");
  await views.getByRole("button", { name: "Has waiters" }).click();
  await expect(page.getByText("No lock matches")).toBeVisible();
  await page.reload();
  await expect(views.getByRole("button", { name: "Has waiters" })).toHaveAttribute("aria-pressed", "true");
  await views.getByRole("button", { name: "All" }).click();
  await expect(rows).toHaveCount(3);
  await assertAccessibleInThemes(page, "views");
  await page.goto("/");
  await expect(views.getByRole("button", { name: /^No TTL [1-9]/ })).toBeVisible();
});

test("the search is completed by keyboard, and an invalid comparison is reported in place", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  await lockkeeper.redis.runCli("SET", key("stuck"), "owner-stuck");
  await lockkeeper.api(`${pathOf(key("a"))}/acquire`, { owner: "owner-a", leaseMs: 600_000 });
  await page.goto(shown(`key:${key("*")}`));
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await expect(rows).toHaveCount(2);
  const box = page.getByRole("combobox", { name: "Search locks" });
  await page.keyboard.press("/");
  await page.keyboard.press("End");
  await page.keyboard.type(" liv");
  await expect(page.getByRole("option", { name: /^liveness:/ })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(box).toHaveValue(`key:${key("*")} liveness:`);
  await page.keyboard.type("no_");
  await expect(page.getByRole("option")).toHaveCount(1);
  await takeThemeScreenshots(page, info, "completion");
  await assertAccessibleInThemes(page, "completion");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await expect(box).toHaveValue(`key:${key("*")} liveness:no_ttl `);
  await expect(box).toBeFocused();
  await expect(rows).toHaveCount(1);
  // Inserts the text all at once, because slow typing would start a search for each intermediate text.
  await page.keyboard.insertText("held>5x");
  await expect(
    page.getByRole("status").filter({ hasText: "held must be “typical” or a duration" }),
  ).toBeVisible();
  await expect(box).toHaveAttribute("aria-invalid", "true");
  await assertAccessibleInThemes(page, "fault");
  await takeThemeScreenshots(page, info, "fault");
  // The page sent no request for the invalid search, so the rows did not change.
  await expect(rows).toHaveCount(1);
  expect(page.url()).not.toContain("5x");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("d");
  await expect(page.getByText("No lock matches")).toBeVisible();

  await page.goto(shown("waiters>many"));
  await expect(page.getByText("Invalid search")).toBeVisible();
  await page.getByRole("button", { name: "Clear search" }).last().click();
  await expect(rows.first()).toBeVisible();
});

test("the typical hold time of the key pattern is shown beside the held time", async ({
  page,
  lockkeeper,
  key,
}) => {
  for (let number = 1; number <= 20; number++) {
    const path = pathOf(key(`job:${number}`));
    await lockkeeper.api(`${path}/acquire`, { owner: "owner-job", leaseMs: 600_000 });
    await lockkeeper.callHold("release", path);
  }
  await lockkeeper.api(`${pathOf(key("job:21"))}/acquire`, { owner: "owner-job", leaseMs: 600_000 });
  await page.goto(shown(`key:${key("*")} held>typical`));
  await expect(page.getByRole("row").filter({ hasText: "owner-job" })).toHaveCount(1);
  await expect(page.getByTestId("typical")).toHaveText(/^typical \d+ ms$/);
});
