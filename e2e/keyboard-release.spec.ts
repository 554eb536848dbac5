import { randomUUID } from "node:crypto";
import type { Role } from "../lib/contract/access.ts";
import * as englishLock from "../lib/i18n/en/lock.tsx";
import * as english from "../lib/i18n/en/release.tsx";
import * as englishShell from "../lib/i18n/en/shell.tsx";
import { LANGUAGE_COOKIE, type Language } from "../lib/i18n/language.ts";
import * as chineseLock from "../lib/i18n/zh/lock.tsx";
import * as chinese from "../lib/i18n/zh/release.tsx";
import * as chineseShell from "../lib/i18n/zh/shell.tsx";
import { expect, logIn, test } from "./console.ts";

const WORDS = {
  en: { free: english.release, lock: englishLock.lock, shell: englishShell.shell },
  zh: { free: chinese.release, lock: chineseLock.lock, shell: chineseShell.shell },
};
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

interface Setting {
  role: Role;
  language: Language;
  place: "at a desk" | "on a phone";
}

const SETTINGS: readonly Setting[] = [
  { role: "admin", language: "en", place: "at a desk" },
  { role: "operator", language: "zh", place: "at a desk" },
  { role: "operator", language: "en", place: "on a phone" },
  { role: "operator", language: "zh", place: "on a phone" },
  { role: "viewer", language: "en", place: "at a desk" },
  { role: "viewer", language: "zh", place: "on a phone" },
];

for (const { role, language, place } of SETTINGS) {
  test(`a stuck lock is found and handled by keyboard alone (${role}, ${language}, ${place})`, async ({
    browser,
    lockkeeper,
    key,
  }) => {
    const words = WORDS[language];
    const name = key("stuck");
    const owner = `${randomUUID()}:7`;
    // Creates a Redisson lock without a TTL and a lock without problems.
    await lockkeeper.redis.runCli("HSET", name, owner, "2");
    await lockkeeper.api(`/locks/${encodeURIComponent(key("fine"))}/acquire`, { owner: "fine@vm-1" });
    const context = await browser.newContext({
      baseURL: lockkeeper.url,
      viewport: place === "at a desk" ? DESK : PHONE,
    });
    await context.addCookies([{ name: LANGUAGE_COOKIE, value: language, url: lockkeeper.url }]);
    const page = await logIn(context, lockkeeper, `on-call-${role}`, role);
    const { keyboard } = page;

    await expect(page.locator("[data-path]").first()).toBeVisible();
    await keyboard.press("/");
    await keyboard.type(`key:${key("*")}`);
    await expect(page.locator("[data-path]")).toHaveCount(2);
    await keyboard.press("Escape");
    await keyboard.press("j");
    // Locks that need attention are listed first.
    const row = page.locator("[data-path]").first();
    await expect(row).toBeFocused();
    await expect(row).toContainText(words.lock.liveness.no_ttl);
    await keyboard.press("r");
    const sheet = page.getByRole("dialog");
    await expect(sheet).toContainText(words.free.liveness.no_ttl);
    await expect(sheet).toContainText(words.free.nested(2));

    if (role === "viewer") {
      await expect(sheet.getByRole("alert")).toContainText(words.shell.releaseForbidden);
      await expect(sheet.getByRole("radio")).toHaveCount(0);
      await expect(sheet.getByRole("textbox")).toHaveCount(0);
      await keyboard.press("Control+Enter");
      await keyboard.press("Escape");
      await expect(sheet).toBeHidden();
      expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("1");
    } else {
      // Nothing shows whether the holder of a lock without a TTL is alive, so no action is preselected.
      const option = sheet.getByRole("radio", { name: words.free.methods.release });
      await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);
      if (place === "at a desk") await expect(option).toBeFocused();
      await keyboard.press("Control+Enter");
      await expect(option).toBeFocused();
      await keyboard.press("Space");
      await keyboard.press("Control+Enter");
      const outcome = sheet.getByTestId("outcome");
      await expect(outcome).toBeVisible();
      await expect(outcome.locator(":focus").or(outcome.and(page.locator(":focus")))).toHaveCount(1);
      expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
      await keyboard.press("Escape");
      await expect(sheet).toBeHidden();
    }
    await expect(page.locator("main :focus")).toHaveCount(1);
    await context.close();
    // Deletes the lock, because other tests on this console count the locks that need attention.
    await lockkeeper.redis.runCli("DEL", name);
  });
}

test("a lock is found, inspected and released by keyboard alone", async ({ page, lockkeeper, key }) => {
  const name = key("keyboard");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "stuck@vm-9" });
  await page.goto("/");
  await expect(page.locator("[data-path]").first()).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(`key:${name}`);
  await expect(page.locator("[data-path]")).toHaveCount(1);
  await expect(page.locator("[data-path]")).toContainText("stuck@vm-9");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet).toBeVisible();
  await expect(sheet.getByLabel("Release now")).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.type("stuck since noon");
  for (
    let step = 0;
    step < 12 &&
    !(await sheet
      .getByRole("button", { name: "Release lock" })
      .evaluate((node) => node === document.activeElement));
    step++
  ) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});
