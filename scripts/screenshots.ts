// npm run screenshots: captures every page, theme and state of a console during a plausible incident, for the README
// and for review. `npm run screenshots -- lock sheet` captures only those scenes.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { FONTS_COOKIE } from "../components/app/fonts-cookie.ts";
import { logIn } from "../e2e/console.ts";
import { type IncidentConsole, startIncidentConsole } from "../e2e/incident/incident-console.ts";
import {
  DISRUPTIVE_SCENES,
  mockStatsHistory,
  SCENES,
  type Scene,
  type Viewpoint,
} from "../e2e/incident/scenes.ts";
import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import settings from "../playwright.config.ts";
import type { TestRedis } from "../test/support/test-redis.ts";
import { findChromium } from "./steps/chromium.mjs";

const OUT = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const SETTLE_MS = 1300;

const SIZES: Readonly<Record<Viewpoint, { width: number; height: number }>> = {
  desk: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  wide: { width: 2560, height: 1300 },
  chinese: { width: 1440, height: 900 },
  "chinese-phone": { width: 390, height: 844 },
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isChinese = (viewpoint: Viewpoint) => viewpoint.startsWith("chinese");

interface PageSetup {
  redis: TestRedis;
  context: BrowserContext;
  page: Page;
  theme: Theme;
  url: string;
}

async function takeScreenshot(
  { context, page, theme, url, redis }: PageSetup,
  scene: Scene,
  viewpoint: Viewpoint,
): Promise<void> {
  await page.setViewportSize(SIZES[viewpoint]);
  await context.addCookies([{ name: LANGUAGE_COOKIE, value: isChinese(viewpoint) ? "zh" : "en", url }]);
  try {
    await scene.show(page, redis);
  } catch (error) {
    // If one scene is outdated, the others are still captured.
    console.error(`${scene.name} (${viewpoint}, ${theme}): ${String(error).split("\n")[0]}`);
    process.exitCode = 1;
  }
  await pause(SETTLE_MS);
  const name = viewpoint === "desk" ? scene.name : `${scene.name}-${viewpoint}`;
  await page.screenshot({ path: `${OUT}${name}-${theme}.png` });
  console.log(`${name}-${theme}`);
}

async function takeScreenshots(
  browser: Browser,
  { lockkeeper, redis }: IncidentConsole,
  theme: Theme,
  wanted: readonly string[],
) {
  const context = await browser.newContext({
    baseURL: lockkeeper.url,
    viewport: SIZES.desk,
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-US",
  });
  await loadConsoleFonts(context, lockkeeper.url);
  const page = await logIn(context, lockkeeper, "mei");
  await mockStatsHistory(page);
  const room = { context, page, theme, url: lockkeeper.url, redis };
  const isWanted = ({ name }: Scene) => wanted.length === 0 || wanted.includes(name);
  for (const scene of SCENES.filter(isWanted)) {
    for (const viewpoint of ["desk", ...(scene.also ?? [])] as const) {
      // Colors depend only on the theme, not on the width or the language.
      if (viewpoint === "desk" || viewpoint === "phone" || theme === "light")
        await takeScreenshot(room, scene, viewpoint);
    }
  }
  for (const scene of DISRUPTIVE_SCENES.filter(isWanted)) await takeScreenshot(room, scene, "desk");
  await context.close();
}

/**
 * Makes pages wait for the fonts of the console. Otherwise, a page uses system fonts until the browser has cached them.
 */
async function loadConsoleFonts(context: BrowserContext, url: string): Promise<void> {
  await context.addCookies([{ name: FONTS_COOKIE, value: "1", url }]);
  await context.route(/\.css(?:\?|$)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll("font-display:optional", "font-display:block");
    await route.fulfill({ response, body });
  });
}

/** Exits with an error if no Chinese font is installed. Without one, Chromium draws boxes. */
function assertChineseFont(): void {
  let fonts = "";
  try {
    fonts = execFileSync("fc-list", [":lang=zh-cn", "family"], { encoding: "utf8" });
  } catch {
    return;
  }
  if (fonts.trim() !== "") return;
  console.error("Install a Chinese font first, such as fonts-noto-cjk on Debian: the screenshots need one.");
  process.exit(1);
}

assertChineseFont();
mkdirSync(OUT, { recursive: true });
const executablePath = await findChromium(fileURLToPath(new URL("..", import.meta.url)));
const browser = await chromium.launch({ ...settings.use?.launchOptions, executablePath });
// The incident is started again for each theme, so that both themes show the same moment.
for (const theme of THEMES) {
  const incident = await startIncidentConsole();
  try {
    await takeScreenshots(browser, incident, theme, process.argv.slice(2));
  } finally {
    await incident.stop();
  }
}
await browser.close();
