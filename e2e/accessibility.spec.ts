import { assertAccessible, assertAccessibleInThemes } from "./accessibility.ts";
import { test as base, expect, logIn } from "./console.ts";
import { type IncidentConsole, startIncidentConsole } from "./incident/incident-console.ts";
import { DISRUPTIVE_SCENES, mockStatsHistory, SCENES, type Scene } from "./incident/scenes.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

const test = base.extend<object, { incident: IncidentConsole }>({
  incident: [
    async ({ browserName: _ }, use) => {
      const incident = await startIncidentConsole();
      await use(incident);
      await incident.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

test.describe.configure({ mode: "parallel" });

/** The scenes of each of the two workers. The disruptive scenes run last. */
const halves: readonly (readonly Scene[])[] = [0, 1].map((half) =>
  SCENES.filter((_, i) => i % 2 === half).concat(half === 0 ? [] : DISRUPTIVE_SCENES),
);

for (const [i, scenes] of halves.entries()) {
  test(`every page, dialog and state passes the accessibility rules in both themes (${i + 1} of 2)`, async ({
    browser,
    incident,
  }) => {
    test.setTimeout(600_000);
    const context = await browser.newContext({ baseURL: incident.lockkeeper.url, viewport: DESK });
    const page = await logIn(context, incident.lockkeeper);
    await mockStatsHistory(page);
    for (const scene of scenes) {
      await test.step(scene.name, async () => {
        await scene.show(page, incident.redis);
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
