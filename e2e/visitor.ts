import type { Page } from "@playwright/test";
import { collectPageErrors, test as consoleTest, expect } from "./console.ts";

/**
 * Adds the fixture `visitor`, a page without a session. The test fails if the page fails, gets a 401 or sets a cookie.
 */
export const test = consoleTest.extend<{ visitor: Page }>({
  visitor: async ({ browser, lockkeeper }, use) => {
    const context = await browser.newContext({ baseURL: lockkeeper.url });
    const page = await context.newPage();
    const errors = collectPageErrors(page);
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 401) refused.push(response.url());
    });
    await use(page);
    expect(await context.cookies()).toEqual([]);
    await context.close();
    expect([...errors, ...refused]).toEqual([]);
  },
});
