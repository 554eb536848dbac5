import { test as base, expect, logIn } from "./console.ts";
import { assertAccessible, assertAccessibleInThemes } from "./look.ts";
import { type NightConsole, startNight } from "./night/night-console.ts";
import { drawHour, LAST_SCENES, SCENES, type Scene } from "./night/scenes.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

const test = base.extend<object, { night: NightConsole }>({
  night: [
    async ({ browserName: _ }, use) => {
      const night = await startNight();
      await use(night);
      await night.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
});

test.describe.configure({ mode: "parallel" });

/** Two halves, so that two workers share them. */
const halves: readonly (readonly Scene[])[] = [0, 1].map((half) =>
  SCENES.filter((_, i) => i % 2 === half).concat(half === 0 ? [] : LAST_SCENES),
);

for (const [i, scenes] of halves.entries()) {
  test(`every page, dialog and state passes the accessibility rules in both themes (${i + 1} of 2)`, async ({
    browser,
    night,
  }) => {
    test.setTimeout(240_000);
    const context = await browser.newContext({ baseURL: night.lockkeeper.url, viewport: DESK });
    const page = await logIn(context, night.lockkeeper);
    await drawHour(page);
    for (const scene of scenes) {
      await test.step(scene.name, async () => {
        await scene.show(page, night.redis);
        await expect(page.getByText(/^(Looking…|Loading…)$/)).toHaveCount(0);
        await assertAccessibleInThemes(page, scene.name);
        if (scene.also?.includes("phone") !== true) return;
        await page.setViewportSize(PHONE);
        await assertAccessible(page, `${scene.name}, phone`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, `${scene.name} does not scroll sideways on a phone`).toBeLessThanOrEqual(PHONE.width);
        await page.setViewportSize(DESK);
      });
    }
    await context.close();
  });
}
