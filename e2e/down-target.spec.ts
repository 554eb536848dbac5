import { findFreePort, startTestRedis } from "../test/support/test-redis.ts";
import { expect, logIn, startConsoleOnTargets, test } from "./console.ts";

test("a target that was never reached is reported once on the pages of a lock, of owners and of waits", async ({
  browser,
}) => {
  const redis = await startTestRedis();
  const lockkeeper = await startConsoleOnTargets([
    { name: "shop", redis: redis.url },
    { name: "away", redis: `redis://127.0.0.1:${await findFreePort()}` },
  ]);
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  try {
    const page = await logIn(context, lockkeeper);
    for (const path of ["/owners", "/waits", "/locks/lock%3Aa"]) {
      await page.goto(`${path}?target=away`);
      await expect(page.getByText("away is not connected yet")).toBeVisible();
      await expect(page.getByTestId("condition-banner")).toHaveCount(0);
      await expect(page.getByText("ECONNREFUSED")).toHaveCount(1);
      await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
    }
  } finally {
    await context.close();
    await lockkeeper.stop();
    await redis.stop();
  }
});
