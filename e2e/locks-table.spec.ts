import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, foldFilters, test } from "./console.ts";

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

test("a paused table keeps its rows and shows how many changed", async ({ page, lockkeeper, key }) => {
  const take = (name: string) =>
    lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `owner-${name}`, leaseMs: 600_000 });
  await take("a");
  await take("b");
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  await expect(rows).toHaveCount(2);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await take("c");
  await lockkeeper.callHold("release", pathOf(key("a")));
  await expect(page.getByTestId("changes")).toHaveText("+2 changes");
  await expect(rows.first()).toContainText("owner-a");
  await page.getByTestId("changes").click();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("owner-b");
});

test("rows keep their places while the list is in use: ended rows are struck out, new ones counted", async ({
  page,
  lockkeeper,
  key,
}) => {
  const take = (name: string) =>
    lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `owner-${name}`, leaseMs: 600_000 });
  for (const name of ["a", "b", "c"]) await take(name);
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await foldFilters(page, lockkeeper);
  await page.goto(`/?sort=key&q=${encodeURIComponent(`key:${key("*")}`)}`);
  await expect(rows).toHaveCount(3);
  await rows.nth(1).hover();
  await expect(page.getByText("Paused while you read")).toBeVisible();
  const before = await rows.nth(2).boundingBox();
  await lockkeeper.callHold("release", pathOf(key("b")));
  await take("aa");
  await lockkeeper.callHold("reenter", pathOf(key("c")));
  await expect(page.getByTestId("changes")).toHaveText("+2 changes");
  await expect(rows.nth(1)).toContainText("released");
  await expect(rows).toContainText(["owner-a", "owner-b", "owner-c"]);
  // The values of paused rows keep updating.
  await expect(rows.nth(2).getByRole("gridcell", { name: "×2", exact: true })).toBeVisible();
  expect(await rows.nth(2).boundingBox()).toEqual(before);
  await page.getByTestId("changes").click();
  await expect(rows).toContainText(["owner-a", "owner-aa", "owner-c"]);
});

test("a pointer left over the rows stops freezing them after a minute", async ({ page, lockkeeper, key }) => {
  await lockkeeper.api(`${pathOf(key("a"))}/acquire`, { owner: "owner-a", leaseMs: 600_000 });
  await page.clock.install();
  await foldFilters(page, lockkeeper);
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  const row = page.getByRole("row").filter({ hasText: "owner-a" });
  await row.hover();
  await expect(page.getByText("Paused while you read")).toBeVisible();
  await page.clock.fastForward(50_000);
  await expect(page.getByText("Paused while you read")).toBeVisible();
  await page.clock.fastForward(11_000);
  await expect(page.getByText("Paused while you read")).toBeHidden();
  await row.hover({ position: { x: 60, y: 6 } });
  await expect(page.getByText("Paused while you read")).toBeVisible();
});

test("on a phone, two lines stand above the rows and every control is large enough for a thumb", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  for (const name of ["a", "b"]) {
    await lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner: `owner-${name}`, leaseMs: 600_000 });
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  const rows = page.getByRole("row").filter({ hasText: "owner-" });
  await expect(rows).toHaveCount(2);
  const main = page.getByRole("main");
  const views = await main.getByRole("button", { name: /^All/ }).boundingBox();
  const search = await main.getByLabel("Search locks").boundingBox();
  expect((search?.y ?? 0) - (views?.y ?? 0)).toBeLessThan(60);
  for (const name of ["Overview", "Filters, 1 active", "Pause", "Copy or export the list"]) {
    const box = await main.getByRole("button", { name, exact: true }).boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), name).toBeGreaterThanOrEqual(44);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await main.getByRole("combobox", { name: "Order" }).selectOption("Key");
  await expect(page).toHaveURL(/sort=key/);
  await rows
    .first()
    .getByRole("button", { name: /^Copy from/ })
    .click();
  await expect(page.getByRole("menuitem", { name: /^Owner/ })).toContainText("owner-a");
  await page.keyboard.press("Escape");
  await main.getByRole("button", { name: "Copy or export the list" }).click();
  await expect(page.getByRole("menuitem")).toHaveCount(4);
  await assertAccessibleInThemes(page, "phone");
  await takeThemeScreenshots(page, info, "phone");
  await page.keyboard.press("Escape");
  await expect(main.getByRole("button", { name: "Copy or export the list" })).toBeFocused();
  await expect(page.getByRole("button", { name: "More", exact: true })).toBeInViewport({ ratio: 1 });
});

test("columns are selected, ordered and resized by keyboard and pointer, and stay so", async ({
  page,
  lockkeeper,
  key,
}) => {
  await lockkeeper.api(`${pathOf(key("a"))}/acquire`, { owner: "owner-a", leaseMs: 600_000 });
  await foldFilters(page, lockkeeper);
  await page.setViewportSize({ width: 1920, height: 800 });
  await page.goto("/");
  const heads = page.getByRole("columnheader");
  await expect(heads).toContainText(["", "Key", "Holder", "Format", "Count", "Expires in", "Held for"]);
  await page.getByRole("button", { name: "Table settings" }).click();
  const menu = page.getByRole("dialog");
  await menu.getByRole("checkbox", { name: "Format" }).uncheck();
  await menu.getByRole("button", { name: "Move Held for left" }).click();
  await menu.getByText("Compact").click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Table settings" })).toBeFocused();
  await expect(page).toHaveURL(
    /cols=key%2Cowner%2Ccount%2Cheld%2Cremaining|cols=key,owner,count,held,remaining/,
  );
  const edge = page.getByRole("separator", { name: "Width of Key" });
  const width = async () => Number(await edge.getAttribute("aria-valuenow"));
  const shown = async () => Math.round((await heads.nth(1).boundingBox())?.width ?? 0);
  const first = await width();
  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(width).toBe(first - 8);
  const box = await edge.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 10);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) - 28, (box?.y ?? 0) + 10, { steps: 4 });
  await page.mouse.up();
  await expect.poll(width).toBe(first - 48);
  expect(await shown()).toBe(first - 48);
  // The browser stores the column settings. A page whose URL has no columns adds the stored ones to its URL.
  await page.goto("/");
  await expect(page).toHaveURL(/cols=/);
  await expect(heads).toContainText(["", "Key", "Holder", "Count", "Held for", "Expires in"]);
  expect(await width()).toBe(first - 48);
  expect((await page.getByRole("row").nth(1).boundingBox())?.height).toBe(32);
  await page.getByRole("button", { name: "Table settings" }).click();
  await menu.getByRole("button", { name: "Reset" }).click();
  await expect(heads.nth(3)).toHaveText("Format");
  await expect(page).not.toHaveURL(/cols=/);
});

test("an unverified release needs a second explicit confirmation to release the current hold", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("unverified");
  await lockkeeper.redis.runCli("HSET", name, "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await lockkeeper.redis.runCli("PEXPIRE", name, "600000");
  await page.goto(pathOf(name));
  await page
    .getByRole("button", { name: /^Release/ })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("its owner is gone");
  const bodies: Record<string, unknown>[] = [];
  await page.route("**/force-release", async (route) => {
    bodies.push(route.request().postDataJSON());
    if (bodies.length > 1) return route.continue();
    const { body: lock } = await lockkeeper.api(pathOf(name));
    const problem = {
      type: "about:blank",
      title: "Unverified",
      status: 409,
      code: "unverified",
      detail: "",
      lock,
    };
    await route.fulfill({ status: 409, contentType: "application/problem+json", json: problem });
  });
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Could not verify the hold. Nothing was released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("1");
  await sheet.getByRole("button", { name: /^Release 8743c9c0.*current hold/ }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(bodies.map(({ onUnverified }) => onUnverified)).toEqual(["refuse", "release"]);
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});

test("a user who is not logged in sees how to log in, on the requested page", async ({
  browser,
  lockkeeper,
}) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await context.newPage();
  for (const path of ["/", "/events", "/locks/lock%3Aa"]) {
    await page.goto(path);
    await expect(page.getByText("npm run login")).toBeVisible();
    expect(new URL(page.url()).pathname).toBe(path);
  }
  await context.close();
});
