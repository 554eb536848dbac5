import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, type TestInfo } from "@playwright/test";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];
export const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];
type AxeOptions = Parameters<AxeBuilder["options"]>[0];

/** Shows the page in a color theme, without animations. */
export async function emulateTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveClass(new RegExp(theme));
}

/**
 * Asserts that the page violates no WCAG 2.2 AA rule that axe can check.
 *
 * @param what names the page in the failure
 */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await assertRules(page, what, { runOnly: RULES });
}

/**
 * Asserts that the page violates no rule in the first theme, and no color rule in the other themes. The themes differ
 * only in colors, so the other rules need no second check.
 */
export async function assertAccessibleInThemes(page: Page, what: string): Promise<void> {
  const [first, ...others] = THEMES;
  await emulateTheme(page, first);
  await assertAccessible(page, `${what}, ${first}`);
  for (const theme of others) {
    await emulateTheme(page, theme);
    await assertRules(page, `${what}, ${theme}`, { runOnly: { type: "rule", values: COLOUR_RULES } });
  }
}

async function assertRules(page: Page, what: string, options: AxeOptions): Promise<void> {
  // Legacy mode opens no extra page. It cannot check frames of other origins, but the console has no such frames.
  // Reporting only violations in full halves the time.
  const builder = new AxeBuilder({ page }).options({ ...options, resultTypes: ["violations"] });
  const { violations } = await builder.setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${what}: ${id} ${nodes.length} ${nodes[0]?.html}`)).toEqual([]);
}

/** Whether screenshots are taken for review: `LOCKKEEPER_E2E_PICTURES` is set. */
export const TAKES_SCREENSHOTS = process.env.LOCKKEEPER_E2E_PICTURES !== undefined;

/** Takes a screenshot in the current theme if `TAKES_SCREENSHOTS` is set. */
export async function takeScreenshot(page: Page, info: TestInfo, name: string): Promise<void> {
  if (TAKES_SCREENSHOTS) await page.screenshot({ path: info.outputPath(`${name}.png`) });
}

/** Takes a screenshot in every theme if `TAKES_SCREENSHOTS` is set. */
export async function takeThemeScreenshots(
  page: Page,
  info: TestInfo,
  name: string,
  { fullPage = false } = {},
): Promise<void> {
  if (!TAKES_SCREENSHOTS) return;
  for (const theme of THEMES) {
    await emulateTheme(page, theme);
    await page.screenshot({ path: info.outputPath(`${name}-${theme}.png`), fullPage });
  }
}
