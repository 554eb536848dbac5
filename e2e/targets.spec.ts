import { findFreePort, startTestRedis, type TestRedis } from "../test/support/test-redis.ts";
import {
  assertAccessibleInThemes,
  emulateTheme,
  THEMES,
  takeScreenshot,
  takeThemeScreenshots,
} from "./accessibility.ts";
import { test as base, expect, startConsoleOnTargets } from "./console.ts";

interface Targets {
  /** Redis of the target "shop". Its database 1 is the read-only target "reports". */
  shop: TestRedis;
  /** Port of the target "away". Nothing listens on the port until a test calls `start`. */
  away: { port: number; start(): Promise<TestRedis> };
}

const test = base.extend<object, Targets>({
  shop: [
    async ({ browserName: _ }, use) => {
      const redis = await startTestRedis({
        args: ["--maxmemory", "100mb", "--maxmemory-policy", "volatile-ttl"],
      });
      await use(redis);
      await redis.stop();
    },
    { scope: "worker" },
  ],
  away: [
    async ({ browserName: _ }, use) => {
      const port = await findFreePort();
      let redis: TestRedis | undefined;
      await use({
        port,
        async start() {
          redis ??= await startTestRedis({ port });
          return redis;
        },
      });
      await redis?.stop();
    },
    { scope: "worker" },
  ],
  lockkeeper: [
    async ({ shop, away }, use) => {
      const running = await startConsoleOnTargets([
        { name: "shop", label: "Shop", environment: "production", redis: shop.url },
        {
          ...{ name: "away", label: "Staging", environment: "staging", notifications: "off" },
          redis: `redis://127.0.0.1:${away.port}`,
        },
        { name: "reports", redis: `${shop.url}/1`, readOnly: true },
      ]);
      await use(running);
      await running.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

test("the console switches between targets, and an unreachable one recovers", async ({
  page,
  lockkeeper,
  away,
}, info) => {
  await lockkeeper.api("/locks/lock%3Aof-shop/acquire", { owner: "till@shop-1", leaseMs: 600_000 });
  await page.goto("/");
  await expect(page.getByRole("row").filter({ hasText: "till@shop-1" })).toBeVisible();
  const menu = page.getByRole("button", { name: "Target: Shop" });
  await expect(menu).toContainText("production");
  await menu.click();
  await page.getByRole("menuitem", { name: /Staging/ }).click();
  await expect(page).toHaveURL(/\/\?target=away$/);
  await expect(page.getByRole("main").getByText(`127.0.0.1:${away.port}`).first()).toBeVisible();
  await expect(page.getByTestId("condition-banner")).toHaveCount(0);
  await expect(page.getByRole("row").filter({ hasText: "till@shop-1" })).toHaveCount(0);
  const empty = page.getByRole("main");
  await expect(empty.getByRole("heading", { name: "Staging is not connected yet" })).toBeVisible();
  await expect(empty).toContainText(/since \d\d:\d\d:\d\d/);
  await expect(empty.getByRole("link", { name: /All targets/ })).toHaveAttribute(
    "href",
    "/targets?target=away",
  );
  await takeScreenshot(page, info, "never-reached");

  await away.start();
  await expect(page.getByTestId("connection")).toContainText("live");
  await lockkeeper.api("/locks/lock%3Aof-staging/acquire?target=away", {
    owner: "test@stage-1",
    leaseMs: 600_000,
  });
  const row = page.getByRole("row").filter({ hasText: "test@stage-1" });
  await expect(row).toBeVisible();
  await row.getByRole("link").first().click();
  await expect(page).toHaveURL(/\/locks\/lock%3Aof-staging\?target=away$/);
  await page.reload();
  await expect(page.getByRole("region", { name: "Now" })).toContainText("test@stage-1");

  await page.getByRole("button", { name: "Target: Staging" }).click();
  await page.getByRole("menuitem", { name: /Shop/ }).click();
  await expect(page.getByRole("row").filter({ hasText: "till@shop-1" })).toBeVisible();
});

test("a target switch by the palette leaves the focus in the page", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Target: Shop" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("staging");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Target: Staging" })).toBeVisible();
  await expect(page.locator("main:focus, main :focus")).toHaveCount(1);
});

test("a read-only target offers no release and explains why", async ({ page, shop }) => {
  await shop.runCli("-n", "1", "HSET", "lock:report", "0b5f2c61-3a55-4e5e-8f0e-5f9d3d3f3f01:7", "1");
  await page.goto("/locks/lock%3Areport?target=reports");
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Redisson");
  const free = page.getByRole("button", { name: /^Release/ }).first();
  await expect(free).toHaveAttribute("aria-disabled", "true");
  await expect(free).toHaveAttribute("title", /read-only/);
  await page.goto("/events?target=reports");
  await expect(page.getByText("Start of the history.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Load older events" })).toHaveCount(0);
  await page.goto("/?target=none");
  await expect(page.getByRole("heading", { name: "Cannot open this target" })).toBeVisible();
});

test("the Targets page names unsafe settings with the command that fixes them, in both themes", async ({
  page,
  shop,
  away,
}, info) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Targets" }).click();
  const card = page.getByRole("region", { name: "Shop" });
  await expect(card).toContainText("maxmemory-policy is volatile-ttl");
  await expect(card.getByRole("button", { name: /Copy command: maxmemory-policy/ })).toBeVisible();
  await expect(card.getByRole("row").filter({ hasText: `127.0.0.1:${shop.port}` })).toContainText("live");
  const main = card.getByRole("row").filter({ hasText: `127.0.0.1:${shop.port}` });
  await expect(main).toContainText("volatile-ttl");
  await expect(main).toContainText(/100 MB/);
  await expect(card).toContainText(
    `redis-cli -h 127.0.0.1 -p ${shop.port} CONFIG SET maxmemory-policy noeviction`,
  );
  const redis = await away.start();
  await redis.runCli("CONFIG", "SET", "notify-keyspace-events", "");
  const silent = page.getByRole("region", { name: "Staging" });
  await expect(silent).toContainText(
    `redis-cli -h 127.0.0.1 -p ${away.port} CONFIG SET notify-keyspace-events 'Kghszxe$'`,
    // The page reads the health of a target every 15 s.
    { timeout: 90_000 },
  );
  await expect(silent).toContainText("expired keys: the end of a lease");
  await expect(page.getByRole("region", { name: "reports" })).toContainText("read-only");
  await takeThemeScreenshots(page, info, "targets", { fullPage: true });
  await assertAccessibleInThemes(page, "targets");
  await page.getByRole("button", { name: "Target: Shop" }).click();
  await expect(page.getByRole("menuitem")).toHaveCount(3);
  await takeThemeScreenshots(page, info, "menu");
  await page.keyboard.press("Escape");
  const production = page.getByRole("banner").getByText("production");
  const tints = async () => {
    const seen: string[] = [];
    for (const theme of THEMES) {
      await emulateTheme(page, theme);
      seen.push(
        await page.getByRole("banner").evaluate((header) => getComputedStyle(header).backgroundColor),
      );
    }
    return seen;
  };
  const ofProduction = await tints();
  await page.setViewportSize({ width: 390, height: 800 });
  await expect(production).toBeInViewport({ ratio: 1 });
  await takeThemeScreenshots(page, info, "phone");
  await page.goto("/?target=reports");
  await expect(page.getByRole("banner").getByText("read-only")).toBeVisible();
  await expect(production).toHaveCount(0);
  const ofOthers = await tints();
  for (const tint of ofProduction) expect(ofOthers).not.toContain(tint);
});
