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

interface Watch {
  role: Role;
  language: Language;
  place: "at a desk" | "on a phone";
}

const WATCHES: readonly Watch[] = [
  { role: "admin", language: "en", place: "at a desk" },
  { role: "operator", language: "zh", place: "at a desk" },
  { role: "operator", language: "en", place: "on a phone" },
  { role: "operator", language: "zh", place: "on a phone" },
  { role: "viewer", language: "en", place: "at a desk" },
  { role: "viewer", language: "zh", place: "on a phone" },
];

for (const { role, language, place } of WATCHES) {
  test(`a stuck lock is found and handled by keyboard alone (${role}, ${language}, ${place})`, async ({
    browser,
    lockkeeper,
    key,
  }) => {
    const words = WORDS[language];
    const name = key("stuck");
    const owner = `${randomUUID()}:7`;
    // As Redisson leaves it when nothing gave it a lease; the other one is as it should be.
    await lockkeeper.redis.runCli("HSET", name, owner, "2");
    await lockkeeper.api(`/locks/${encodeURIComponent(key("fine"))}/acquire`, { owner: "fine@vm-1" });
    const context = await browser.newContext({
      baseURL: lockkeeper.url,
      viewport: place === "at a desk" ? DESK : PHONE,
    });
    await context.addCookies([{ name: LANGUAGE_COOKIE, value: language, url: lockkeeper.url }]);
    const page = await logIn(context, lockkeeper, `night-${role}`, role);
    const { keyboard } = page;

    await expect(page.locator("[data-path]").first()).toBeVisible();
    await keyboard.press("/");
    await keyboard.type(`key:${key("*")}`);
    await expect(page.locator("[data-path]")).toHaveCount(2);
    await keyboard.press("Escape");
    await keyboard.press("j");
    // What wants a look stands first.
    const row = page.locator("[data-path]").first();
    await expect(row).toBeFocused();
    await expect(row).toContainText(words.lock.verdicts["no-expiry"]);
    await keyboard.press("r");
    const sheet = page.getByRole("dialog");
    await expect(sheet).toContainText(words.free.verdicts["no-expiry"]);
    await expect(sheet).toContainText(words.free.nested(2));

    if (role === "viewer") {
      await expect(sheet.getByRole("alert")).toContainText(words.shell.mayNotFree);
      await keyboard.press("Control+Enter");
      await keyboard.press("Escape");
      await expect(sheet).toBeHidden();
      expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("1");
    } else {
      await expect(sheet.getByRole("radio", { name: words.free.release })).toBeFocused();
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
    // Whoever shares this console counts what is abnormal.
    await lockkeeper.redis.runCli("DEL", name);
  });
}
