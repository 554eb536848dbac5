import type { Page } from "@playwright/test";
import { LANGUAGE_COOKIE } from "../lib/words/language.ts";
import { zh } from "../lib/words/zh/all.ts";
import { assertChinese } from "./chinese.ts";
import { type Console, expect, test } from "./console.ts";
import { assertAccessible } from "./look.ts";

const { apiKeys, audit, docs, keysHelp, login, operators, settings, shell, ui } = zh;

async function speakChinese(page: Page, { url }: Console): Promise<void> {
  await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url }]);
}

async function check(page: Page, what: string): Promise<void> {
  await assertChinese(page, what);
  // What the pointer is over is in another colour.
  await page.mouse.move(0, 0);
  await assertAccessible(page, `${what}, in Chinese`);
}

/** A dialog that something opens, looked at and closed again. */
async function checkDialog(page: Page, what: string, button: string): Promise<void> {
  await page.getByRole("button", { name: button }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await check(page, what);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("the frame, owners, audit and docs are Chinese in Chinese", async ({ page, lockkeeper, key }) => {
  test.setTimeout(120_000);
  await speakChinese(page, lockkeeper);
  const name = key("zh");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/note`, { note: "看看" });
  // Other tests leave owners that are whole sentences of markup, and labels cannot say what of them is data.
  await page.goto("/owners?q=owner:me@vm-1");
  await expect(page.getByRole("row").filter({ hasText: "me@vm-1" })).toBeVisible();
  await expect(page).toHaveTitle("持有者 · Lockkeeper");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await check(page, "owners");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: keysHelp.title })).toBeVisible();
  await check(page, "keys");
  await page.keyboard.press("Escape");
  await page.goto(`/audit?key=${encodeURIComponent(name)}`);
  await page.getByRole("listitem").filter({ hasText: "note" }).locator("summary").click();
  await page.getByRole("button", { name: audit.checkChain }).click();
  await expect(page.getByTestId("chain")).toBeVisible();
  await check(page, "audit");
  await page.getByRole("button", { name: audit.anyTime }).click();
  await expect(page.getByRole("dialog", { name: audit.when })).toBeVisible();
  await check(page, "audit: when");
  await page.goto("/docs");
  await expect(page.getByRole("heading", { name: docs.guideTitle })).toBeVisible();
  await check(page, "docs");
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { name: zh.pages.nothingHere })).toBeVisible();
  await check(page, "nowhere");
});

test("events are Chinese in Chinese", async ({ page, lockkeeper, key }) => {
  test.setTimeout(120_000);
  await speakChinese(page, lockkeeper);
  const name = key("event");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1" });
  await page.goto(`/events?q=${encodeURIComponent(`key:${name}`)}`);
  await expect(page.getByText(name).first()).toBeVisible();
  await check(page, "events");
});

test("settings and the login are Chinese in Chinese", async ({ page, lockkeeper, key }) => {
  test.setTimeout(120_000);
  await speakChinese(page, lockkeeper);
  const name = key("app").replaceAll(":", "-");
  await page.goto("/settings/you");
  await expect(page.getByLabel(settings.newPassword)).toBeVisible();
  await check(page, "settings: you");
  await page.goto("/settings/keys");
  await page.getByRole("button", { name: apiKeys.add }).click();
  await page.getByLabel(apiKeys.name).fill(name);
  await check(page, "new key");
  await page.getByRole("button", { name: apiKeys.make }).click();
  await expect(page.getByRole("button", { name: apiKeys.stored })).toBeVisible();
  await check(page, "secret");
  await page.getByRole("button", { name: apiKeys.stored }).click();
  await expect(page.getByRole("button", { name: apiKeys.rotateNamed(name) })).toBeVisible();
  await check(page, "settings: keys");
  await checkDialog(page, "rotate", apiKeys.rotateNamed(name));
  await checkDialog(page, "revoke", apiKeys.revokeNamed(name));
  await page.goto("/settings/operators");
  await page.getByRole("button", { name: operators.add }).click();
  await page.getByLabel(operators.name).fill(name);
  await page.getByLabel(settings.newPassword).fill("four words are best");
  await page.getByLabel(settings.sameAgain).fill("four words are best");
  await check(page, "new operator");
  await page.getByRole("button", { name: operators.make }).click();
  for (const task of ["roles", "password", "disable", "delete"] as const)
    await checkDialog(page, `operator: ${task}`, operators.taskOf[task](name));
  await page.goto("/settings/sessions");
  await expect(page.getByRole("button", { name: settings.logOutHere })).toBeVisible();
  await check(page, "settings: sessions");
  await page.goto("/login");
  await expect(page.getByRole("button", { name: login.logIn })).toBeVisible();
  await check(page, "login");
});

test("a refusal is told in Chinese, with the server's own sentence as English below", async ({
  page,
  lockkeeper,
  key,
}) => {
  await speakChinese(page, lockkeeper);
  await page.goto("/settings/operators");
  const name = key("twice").replaceAll(":", "-");
  for (const _ of [1, 2]) {
    await page.getByRole("button", { name: operators.add }).click();
    await page.getByLabel(operators.name).fill(name);
    await page.getByLabel(settings.newPassword).fill("four words are best");
    await page.getByLabel(settings.sameAgain).fill("four words are best");
    await page.getByRole("button", { name: operators.make }).click();
  }
  const refusal = page.getByRole("dialog").getByRole("alert");
  await expect(refusal).toContainText(/\p{Script=Han}/u);
  await expect(refusal.locator("[lang=en]")).toContainText(name);
  await check(page, "refusal");
});

test("the language is changed in place: what was typed stays, and the tab's title follows", async ({
  page,
}) => {
  await page.goto("/owners");
  await page.getByRole("textbox").or(page.getByRole("combobox")).first().fill("owner:nobody");
  await page.getByRole("button", { name: "Change to 中文" }).click();
  await expect(page.getByRole("navigation").getByText(shell.places.owners)).toBeVisible();
  await expect(page.getByRole("textbox").or(page.getByRole("combobox")).first()).toHaveValue("owner:nobody");
  await expect(page).toHaveTitle("持有者 · Lockkeeper");
  await expect(page.getByRole("button", { name: ui.clearSearch })).toBeVisible();
  await page.getByRole("button", { name: "English" }).click();
  await expect(page).toHaveTitle("Owners · Lockkeeper");
});

test("what the browser asks for counts where nothing was chosen, and Chinese is in no English page", async ({
  lockkeeper,
}) => {
  const pageIn = async (wish: string) => {
    const answer = await fetch(`${lockkeeper.url}/login`, { headers: { "accept-language": wish } });
    return await answer.text();
  };
  expect(await pageIn("zh-TW,zh;q=0.9,en;q=0.8")).toContain('lang="zh-Hans"');
  const english = await pageIn("en-US,en;q=0.9");
  expect(english).toContain('lang="en"');
  for (const [, source = ""] of english.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)) {
    const script = await (await fetch(new URL(source, lockkeeper.url))).text();
    expect(script.includes(login.linkIsOver), source).toBe(false);
  }
});
