import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import { zh } from "../lib/i18n/zh/messages.ts";
import { assertAccessible } from "./accessibility.ts";
import { assertChinese } from "./assert-chinese.ts";
import { type Console, expect, test } from "./console.ts";

const { apiKeys, audit, bulk, docs, emptyLocks, formats, keysHelp, lockParts, login } = zh;
const { operators, settings, shell, targets, ui, viewTools } = zh;

async function speakChinese(page: Page, { url }: Console): Promise<void> {
  await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url }]);
}

/** Opens a dialog with the given button, asserts that the dialog is in Chinese, and closes it again. */
async function checkDialog(page: Page, what: string, button: string): Promise<void> {
  await page.getByRole("button", { name: button }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await assertChinese(page, what);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("navigation, owners, audit and docs are in Chinese when Chinese is selected", async ({
  page,
  lockkeeper,
  key,
}) => {
  await speakChinese(page, lockkeeper);
  const name = key("zh");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/note`, { note: "看看" });
  // The search excludes the owners of other tests. Some of those are whole sentences of markup, and a label cannot mark
  // which of its parts are data.
  await page.goto("/owners?q=owner:me@vm-1");
  await expect(page.getByRole("row").filter({ hasText: "me@vm-1" })).toBeVisible();
  await expect(page).toHaveTitle("所有者 · Lockkeeper");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await assertChinese(page, "owners");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: keysHelp.title })).toBeVisible();
  await assertChinese(page, "keys");
  await page.keyboard.press("Escape");
  await page.goto(`/audit?key=${encodeURIComponent(name)}`);
  await page.getByRole("listitem").filter({ hasText: "note" }).locator("summary").click();
  await page.getByRole("button", { name: audit.verify }).click();
  await expect(page.getByTestId("chain")).toBeVisible();
  await assertChinese(page, "audit");
  await page.getByRole("button", { name: audit.anyTime }).click();
  await expect(page.getByRole("dialog", { name: audit.when })).toBeVisible();
  await assertChinese(page, "audit: when");
  await page.goto("/docs");
  await expect(page.getByRole("heading", { name: docs.guideTitle })).toBeVisible();
  await assertChinese(page, "docs");
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { name: zh.pages.notFound })).toBeVisible();
  await assertChinese(page, "nowhere");
});

test("the table, a lock page and its actions are in Chinese when Chinese is selected", async ({
  page,
  lockkeeper,
  key,
}) => {
  await speakChinese(page, lockkeeper);
  const name = key("table");
  const record = { service: "billing", host: "vm-1", pid: 17 };
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, {
    owner: "me@vm-1",
    leaseMs: 600_000,
    record,
  });
  await lockkeeper.redis.runCli("HSET", key("endless"), `${randomUUID()}:7`, "2");
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  await expect(page.locator("[data-path]")).toHaveCount(2);
  await assertChinese(page, "locks");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const toolbar = page.getByRole("toolbar", { name: viewTools.selection });
  await expect(toolbar).toBeVisible();
  await assertChinese(page, "a row is selected");
  await toolbar.getByRole("button", { name: viewTools.release("1") }).click();
  await expect(page.getByRole("dialog").getByRole("region", { name: bulk.willRelease("1") })).toBeVisible();
  await assertChinese(page, "bulk release dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: zh.locks.search }).fill("key:nothing-like-it");
  await expect(page.getByText(emptyLocks.notFound.title)).toBeVisible();
  await assertChinese(page, "nothing found");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: zh.palette.title });
  await expect(palette.getByRole("option").first()).toBeVisible();
  await assertChinese(page, "palette");
  await palette.getByRole("combobox").fill(name);
  const found = palette.getByRole("option").filter({ hasText: zh.palette.heldBy("billing") });
  await expect(found).toBeVisible();
  await assertChinese(page, "palette: found");
  await found.click();
  await expect(page.getByRole("button", { name: lockParts.note })).toBeVisible();
  await assertChinese(page, "lock");
  await assertAccessible(page, "a lock, in Chinese");
  await checkDialog(page, "note", lockParts.note);
  await checkDialog(page, "more time", lockParts.extendLease);
  await checkDialog(page, "free", zh.lockPage.release);
});

test("events, targets and formats are in Chinese when Chinese is selected", async ({
  page,
  lockkeeper,
  key,
}) => {
  await speakChinese(page, lockkeeper);
  const name = key("event");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1" });
  await lockkeeper.callHold("release", `/locks/${encodeURIComponent(name)}`);
  await page.goto(`/events?q=${encodeURIComponent(`key:${name}`)}`);
  await expect(page.getByText(name).first()).toBeVisible();
  await assertChinese(page, "events");
  const places = page.getByRole("navigation", { name: shell.console });
  await places.getByRole("link", { name: shell.places.targets }).click();
  await expect(page.getByRole("list", { name: targets.findings })).toBeVisible();
  await assertChinese(page, "targets");
  await places.getByRole("link", { name: shell.places.formats }).click();
  await page.getByLabel(formats.keys, { exact: true }).fill("order-*");
  await page.getByLabel(formats.format, { exact: true }).selectOption("redlock");
  await page.getByRole("button", { name: formats.preview }).click();
  await expect(page.getByTestId("rule-preview").getByRole("status")).toContainText(formats.change.nothing);
  await assertChinese(page, "formats");
});

test("settings and login are in Chinese when Chinese is selected", async ({ page, lockkeeper, key }) => {
  await speakChinese(page, lockkeeper);
  const name = key("app").replaceAll(":", "-");
  await page.goto("/settings/you");
  await expect(page.getByLabel(settings.newPassword)).toBeVisible();
  await assertChinese(page, "settings: you");
  await page.goto("/settings/keys");
  await page.getByRole("button", { name: apiKeys.add }).click();
  await page.getByLabel(apiKeys.name).fill(name);
  await assertChinese(page, "new key");
  await page.getByRole("button", { name: apiKeys.create }).click();
  await expect(page.getByRole("button", { name: apiKeys.stored })).toBeVisible();
  await assertChinese(page, "secret");
  await page.getByRole("button", { name: apiKeys.stored }).click();
  await expect(page.getByRole("button", { name: apiKeys.rotateNamed(name) })).toBeVisible();
  await assertChinese(page, "settings: keys");
  await checkDialog(page, "rotate", apiKeys.rotateNamed(name));
  await checkDialog(page, "revoke", apiKeys.revokeNamed(name));
  await page.goto("/settings/operators");
  await page.getByRole("button", { name: operators.add }).click();
  await page.getByLabel(operators.name).fill(name);
  await page.getByLabel(settings.newPassword).fill("four words are best");
  await page.getByLabel(settings.repeatPassword).fill("four words are best");
  await assertChinese(page, "new operator");
  await page.getByRole("button", { name: operators.create }).click();
  for (const task of ["roles", "password", "disable", "delete"] as const)
    await checkDialog(page, `operator: ${task}`, operators.taskOf[task](name));
  await page.goto("/settings/sessions");
  await expect(page.getByRole("button", { name: settings.logOutHere })).toBeVisible();
  await assertChinese(page, "settings: sessions");
  await page.goto("/login");
  await expect(page.getByRole("button", { name: login.logIn })).toBeVisible();
  await assertChinese(page, "login");
});

test("an error is shown in Chinese, with the server's English sentence below", async ({
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
    await page.getByLabel(settings.repeatPassword).fill("four words are best");
    await page.getByRole("button", { name: operators.create }).click();
  }
  const refusal = page.getByRole("dialog").getByRole("alert");
  await expect(refusal).toContainText(/\p{Script=Han}/u);
  await expect(refusal.locator("[lang=en]")).toContainText(name);
  await assertChinese(page, "refusal");
});

test("the language changes in place, keeps typed text and updates the tab title", async ({ page }) => {
  await page.goto("/owners");
  await page.getByRole("textbox").or(page.getByRole("combobox")).first().fill("owner:nobody");
  await page.getByRole("button", { name: "Switch to 中文" }).click();
  await expect(page.getByRole("navigation").getByText(shell.places.owners)).toBeVisible();
  await expect(page.getByRole("textbox").or(page.getByRole("combobox")).first()).toHaveValue("owner:nobody");
  await expect(page).toHaveTitle("所有者 · Lockkeeper");
  await expect(page.getByRole("button", { name: ui.clearSearch })).toBeVisible();
  await page.getByRole("button", { name: "English" }).click();
  await expect(page).toHaveTitle("Owners · Lockkeeper");
});

test("the browser language applies when none is selected, and English pages load no Chinese", async ({
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
    expect(script.includes(login.linkExpired), source).toBe(false);
  }
});
