import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, type TestInfo } from "@playwright/test";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];
export const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];
type AxeOptions = Parameters<AxeBuilder["options"]>[0];

/** As somebody's system wants it; what moves stands still, so that nothing is looked at halfway. */
export async function showIn(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveClass(new RegExp(theme));
}

/** @param what names the place where a rule is broken */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await assertKept(page, what, { runOnly: RULES });
}

/** Another theme has the same elements in other colours, so all other rules are asked once. */
export async function assertAccessibleInThemes(page: Page, what: string): Promise<void> {
  const [first, ...others] = THEMES;
  await showIn(page, first);
  await assertAccessible(page, `${what}, ${first}`);
  for (const theme of others) {
    await showIn(page, theme);
    await assertKept(page, `${what}, ${theme}`, { runOnly: { type: "rule", values: COLOUR_RULES } });
  }
}

async function assertKept(page: Page, what: string, options: AxeOptions): Promise<void> {
  // No page of ours has frames of other sites, for which axe opens a page of its own each time otherwise.
  const { violations } = await new AxeBuilder({ page }).options(options).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${what}: ${id} ${nodes.length} ${nodes[0]?.html}`)).toEqual([]);
}

/** Pictures for whoever looks at the page itself, and asks for them with LOCKKEEPER_E2E_PICTURES=1. */
export async function shootThemes(
  page: Page,
  info: TestInfo,
  name: string,
  { fullPage = false } = {},
): Promise<void> {
  if (process.env.LOCKKEEPER_E2E_PICTURES === undefined) return;
  for (const theme of THEMES) {
    await showIn(page, theme);
    await page.screenshot({ path: info.outputPath(`${name}-${theme}.png`), fullPage });
  }
}
