import { expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;

test("filter, order and selected row are in the URL and survive a reload", async ({
  page,
  lockkeeper,
  key,
}) => {
  for (const name of ["a", "b", "c"]) {
    await lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `owner-${name}`, leaseMs: 600_000 });
  }
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await page.goto("/");
  await page.getByLabel("Search locks").fill(`key:${key("*")}`);
  await expect(rows).toHaveCount(3);
  await page.getByRole("button", { name: "Key", exact: true }).click();
  await page.getByRole("button", { name: "Key", exact: true }).click();
  await expect(page.getByRole("columnheader", { name: "Key" })).toHaveAttribute("aria-sort", "descending");
  await expect(rows.first()).toContainText("owner-c");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(page.getByRole("row", { selected: true })).toContainText("owner-b");
  await expect(page).toHaveURL(/lock=[^&]*b(&|$)/);
  await page.reload();
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText("owner-c");
  await expect(page.getByRole("row", { selected: true })).toContainText("owner-b");
});

test("paused rows stand still and tell how many changed", async ({ page, lockkeeper, key }) => {
  const take = (name: string) =>
    lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `owner-${name}`, leaseMs: 600_000 });
  await take("a");
  await take("b");
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  await expect(rows).toHaveCount(2);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await take("c");
  await lockkeeper.api(`${pathOf(key("a"))}/release`, { owner: "owner-a" });
  await expect(page.getByTestId("changes")).toHaveText("+2 changes");
  await expect(rows.first()).toContainText("owner-a");
  await page.getByTestId("changes").click();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("owner-b");
});

test("when the server is unsure, a second and explicit step frees what is held now", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("unsure");
  await lockkeeper.redis.cli("HSET", name, "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await lockkeeper.redis.cli("PEXPIRE", name, "600000");
  await page.goto(pathOf(name));
  await page.getByRole("button", { name: /^Free/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("its owner is gone");
  const bodies: Record<string, unknown>[] = [];
  await page.route("**/force-release", async (route) => {
    bodies.push(route.request().postDataJSON());
    if (bodies.length > 1) return route.continue();
    const { body: lock } = await lockkeeper.api(pathOf(name));
    const problem = { type: "about:blank", title: "Unsure", status: 409, code: "unsure", detail: "", lock };
    await route.fulfill({ status: 409, contentType: "application/problem+json", json: problem });
  });
  await sheet.getByRole("button", { name: "Release now" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Unsure: nothing was released");
  expect(await lockkeeper.redis.cli("EXISTS", name)).toBe("1");
  await sheet.getByRole("button", { name: /^Release whatever 8743c9c0/ }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(bodies.map(({ ifUnsure }) => ifUnsure)).toEqual(["refuse", "release"]);
  expect(await lockkeeper.redis.cli("EXISTS", name)).toBe("0");
});

test("whoever is not logged in is told how, in place", async ({ browser, lockkeeper }) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await context.newPage();
  for (const path of ["/", "/events", "/locks/lock%3Aa"]) {
    await page.goto(path);
    await expect(page.getByText("npm run login")).toBeVisible();
    expect(new URL(page.url()).pathname).toBe(path);
  }
  await context.close();
});
