import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, test } from "./console.ts";
import {
  findHiddenFacts,
  opacityOf,
  pathOf,
  prepareScene,
  recordLayoutShifts,
  releaseIn,
  rowOf,
} from "./first-screen.ts";
import { measureHitAreas } from "./hit-areas.ts";

const DESKS = [
  { width: 1280, height: 720, columns: "Key Holder Count Expires in Held for Liveness Waiting" },
  { width: 1440, height: 900, columns: "Key Holder Count Expires in Held for Liveness Waiting" },
  {
    width: 1920,
    height: 1080,
    columns: "Key Holder Format Count Expires in Held for Liveness Waiting Fence",
  },
];
const PHONE = { width: 390, height: 844 };
/** Columns whose main line must not be truncated. */
const FACTS = ["Count", "Expires in", "Held for", "Liveness", "Waiting"];
const TARGET_PX = 44;
/**
 * Maximum layout shift score: half of the value that Web Vitals count as good. Header text that arrives with the data
 * accounts for a tenth of the maximum.
 */
const LAYOUT_SHIFT_MAX = 0.05;

let isOver = false;
test.beforeEach(() => {
  isOver = false;
});
test.afterEach(() => {
  isOver = true;
});

for (const { width, height, columns } of DESKS) {
  test(`at ${width} px every fact of a lock, its release and the live events are visible`, async ({
    page,
    lockkeeper,
    key,
  }, info) => {
    const scene = await prepareScene(lockkeeper, key, () => isOver);
    const readShifts = await recordLayoutShifts(page);
    await page.setViewportSize({ width, height });
    await page.goto(scene.filter);
    const rows = [scene.stuck, scene.contended, scene.plain].map((name) => rowOf(page, name));
    const [stuck, contended, plain] = rows;
    if (stuck === undefined || contended === undefined || plain === undefined) throw new Error("No rows");
    await expect(contended).toContainText("×2");
    await expect(page.getByRole("columnheader")).toHaveText(["", ...splitColumns(columns), "Actions"]);
    expect(await readShifts()).toBeLessThan(LAYOUT_SHIFT_MAX);
    for (const row of rows) expect(await findHiddenFacts(row, FACTS)).toEqual([]);
    await expect(stuck).toContainText("×3");
    await expect(stuck).toContainText("no TTL");
    await expect(
      contended.getByRole("gridcell").nth(splitColumns(columns).indexOf("Waiting") + 1),
    ).toContainText(/[1-9]/);
    // The last segment of a key and the end of a host name must remain readable. With some fonts, the text box is
    // taller than the line and is clipped, so the whole box need not be visible.
    await expect(stuck.getByText("eu", { exact: true })).toBeInViewport({ ratio: 0.9 });

    expect(await opacityOf(releaseIn(stuck))).toBe(1);
    await expect(releaseIn(stuck)).toBeInViewport({ ratio: 1 });
    expect(await opacityOf(releaseIn(plain))).toBe(0);
    await plain.hover();
    await expect.poll(() => opacityOf(releaseIn(plain))).toBe(1);
    await page.mouse.move(0, 0);
    await releaseIn(plain).focus();
    await expect.poll(() => opacityOf(releaseIn(plain))).toBe(1);

    const events = page.getByRole("region", { name: "Latest events" });
    const fresh = key("fresh");
    await lockkeeper.api(`${pathOf(fresh)}/acquire`, { owner: "late", leaseMs: 600_000 });
    await expect(events.getByText(fresh).first()).toBeInViewport();
    await expect(page.getByRole("complementary", { name: "Filters" })).toBeVisible({
      visible: width >= 1600,
    });
    await assertAccessibleInThemes(page, `first screen at ${width} px`);
    await takeThemeScreenshots(page, info, `first-${width}`);
  });
}

function splitColumns(names: string): string[] {
  return names.split(/ (?=[A-Z])/);
}

test("between 640 and 1200 px a ticker shows the latest event and opens all of them", async ({
  page,
  lockkeeper,
  key,
}) => {
  const scene = await prepareScene(lockkeeper, key, () => isOver);
  await page.setViewportSize({ width: 1024, height: 720 });
  await page.goto(scene.filter);
  await expect(rowOf(page, scene.plain)).toBeVisible();
  const ticker = page.getByRole("main").getByRole("button", { name: /^Events/ });
  let acquired = 0;
  // Events of other tests, and of the waiter of this scene, replace the latest event.
  await expect(async () => {
    const fresh = key(`fresh-${++acquired}`);
    await lockkeeper.api(`${pathOf(fresh)}/acquire`, { owner: "late", leaseMs: 600_000 });
    await expect(ticker).toContainText(`acquired ${fresh}`, { timeout: 2000 });
  }).toPass();
  await ticker.click();
  const drawer = page.getByRole("dialog", { name: "Events" });
  await expect(drawer.getByText(key(`fresh-${acquired}`)).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer).toHaveCount(0);
  await expect(ticker).toBeFocused();
});

test("a closed event panel stays closed, and its ticker opens it again", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("/");
  const events = page.getByRole("region", { name: "Latest events" });
  await page.getByRole("button", { name: "Hide events" }).click();
  const ticker = page.getByRole("main").getByRole("button", { name: /^Events/ });
  await expect(ticker).toBeFocused();
  await page.reload();
  await expect(ticker).toBeVisible();
  await expect(events).toHaveCount(0);
  await ticker.press("Enter");
  await expect(events).toBeVisible();
  await expect(page.getByRole("button", { name: "Hide events" })).toBeFocused();
});

test("on a phone a card has every fact, and events and settings are one tap away", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const scene = await prepareScene(lockkeeper, key, () => isOver);
  const readShifts = await recordLayoutShifts(page);
  await page.setViewportSize(PHONE);
  await page.goto(scene.filter);
  const contended = rowOf(page, scene.contended);
  const stuck = rowOf(page, scene.stuck);
  for (const text of ["contended", "checkout", "×2", /[1-9] waiting/, "expires in", "held"])
    await expect(contended).toContainText(text);
  for (const text of ["×3", "no TTL"]) await expect(stuck.getByText(text)).toBeInViewport({ ratio: 1 });
  await expect(releaseIn(stuck)).toBeInViewport({ ratio: 1 });
  await expect(releaseIn(rowOf(page, scene.plain))).toHaveCount(0);
  expect(await readShifts()).toBeLessThan(LAYOUT_SHIFT_MAX);

  const small = (await measureHitAreas(page)).filter((area) => Math.min(area.width, area.height) < TARGET_PX);
  expect(small).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await assertAccessibleInThemes(page, "first screen of a phone");
  await takeThemeScreenshots(page, info, "first-phone");

  const bar = page.getByRole("navigation", { name: "Console" });
  await bar.getByRole("button", { name: "More" }).click();
  const sheet = page.getByRole("dialog", { name: "More" });
  for (const name of [/^Theme/, /^Switch to/, /^Keyboard shortcuts/, /^Log out/])
    await expect(sheet.getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  await expect(sheet.getByRole("link", { name: "Settings" })).toBeInViewport({ ratio: 1 });
  const low = (await measureHitAreas(page, "[role=dialog]")).filter(
    (area) => Math.min(area.width, area.height) < TARGET_PX,
  );
  expect(low).toEqual([]);
  await assertAccessibleInThemes(page, "more on a phone");
  await page.keyboard.press("Escape");
  await expect(bar.getByRole("button", { name: "More" })).toBeFocused();
  await bar.getByRole("link", { name: "Live events" }).click();
  await expect(page).toHaveURL(/\/events/);
});

test("rows under the pointer keep their places while events, errors and urgent locks arrive", async ({
  page,
  lockkeeper,
  key,
}) => {
  const scene = await prepareScene(lockkeeper, key, () => isOver);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(scene.filter);
  const names = [scene.stuck, scene.contended, scene.plain];
  await expect(rowOf(page, scene.plain)).toBeVisible();
  await expect(page.locator("[data-measure=held]")).toContainText(/\d/);
  await rowOf(page, scene.contended).hover();
  await expect(page.getByText("Paused while you read")).toBeVisible();
  const boxes = () => Promise.all(names.map((name) => rowOf(page, name).boundingBox()));
  const before = await boxes();
  await page.route("**/api/v1/stats?**", (route) => route.abort());
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
  // This lock would be listed first, because it needs attention and its holder is older.
  await lockkeeper.redis.runCli(
    "HSET",
    key("a-second:stuck"),
    "8743c9c0-0795-4907-87fd-6c719a6b4586:43",
    "1",
  );
  await lockkeeper.callHold("release", pathOf(scene.plain));
  await expect(page.getByTestId("changes")).toHaveText("+2 changes");
  await expect(page.getByRole("region", { name: "Overview" }).getByRole("status")).toHaveCount(1);
  expect(await boxes()).toEqual(before);
});

test("rows sorted by a hidden column show it", async ({ page, lockkeeper, key }) => {
  const scene = await prepareScene(lockkeeper, key, () => isOver);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`${scene.filter}&sort=-fence`);
  await expect(page.getByRole("columnheader", { name: "Fence" })).toHaveAttribute("aria-sort", "descending");
  await page.goto(`${scene.filter}&sort=-count&cols=key,held`);
  await expect(page.getByRole("columnheader", { name: "Count" })).toHaveAttribute("aria-sort", "descending");
});

test("set filters stand beside the search as chips that remove them", async ({ page, lockkeeper, key }) => {
  const scene = await prepareScene(lockkeeper, key, () => isOver);
  await page.setViewportSize({ width: 1280, height: 720 });
  const search = `key:${key("*")} service:=checkout held>0s`;
  await page.goto(`/?q=${encodeURIComponent(search)}`);
  await expect(rowOf(page, scene.plain)).toBeVisible();
  const chips = page.getByRole("list", { name: "Active filters" });
  await expect(chips.getByRole("button")).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Filters, 2 active" })).toBeVisible();
  await chips.getByRole("button", { name: "Remove filter service:checkout" }).click();
  await expect(page.getByLabel("Search locks")).toHaveValue(`key:${key("*")} held>0s`);
  await expect(rowOf(page, scene.stuck)).toBeVisible();
});
