import { randomUUID } from "node:crypto";
import type { Locator, Page } from "@playwright/test";
import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import { releaseRequest as chinese } from "../lib/i18n/zh/release-request.tsx";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { assertChinese } from "./assert-chinese.ts";
import { type Console, expect, logIn, test } from "./console.ts";
import { measureHitAreas } from "./hit-areas.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const PHONE = { width: 390, height: 844 };
const ASK = "Ask the holder to release";

interface HttpHolder {
  /** Renews the hold, which returns the release request, and then accepts or refuses the request. */
  answer(answer: "accepted" | "refused", text: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Acquires a lock over HTTP as a client that receives release requests. Renews until Lockkeeper reports the holder as
 * alive.
 */
async function acquireOverHttp(lockkeeper: Console, key: string): Promise<HttpHolder> {
  const path = pathOf(key);
  const stated = { leaseMs: 600_000, renewEveryMs: 60_000, receivesReleaseRequests: true };
  const { body } = await lockkeeper.api(`${path}/acquire`, { owner: "batch@vm-2", ...stated });
  await expect
    .poll(async () => {
      await lockkeeper.callHold("renew", path);
      return ((await lockkeeper.api(path)).body.liveness as { state: string } | null)?.state;
    })
    .toBe("alive");
  return {
    async answer(answer, text) {
      const renewed = await lockkeeper.callHold("renew", path);
      const { requestId } = renewed.body.releaseRequested as { requestId: string };
      const fields = { requestId, answer, text };
      const { status } = await lockkeeper.api(`/holds/${body.holdId}/answer-release-request`, fields);
      expect(status).toBe(200);
    },
    async release() {
      expect((await lockkeeper.callHold("release", path)).body.outcome).toBe("released");
    },
  };
}

async function openSheet(page: Page, key: string): Promise<Locator> {
  await page.goto(pathOf(key));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Held by");
  await page.keyboard.press("r");
  return page.getByRole("dialog");
}

test("a holder is asked by keyboard from the list, and the dialog shows its answer and its release", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("asked");
  const holder = await acquireOverHttp(lockkeeper, name);
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  const row = page.locator("[data-path]");
  await expect(row).toHaveCount(1);
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("radio").first()).toHaveAccessibleName(ASK);
  await expect(sheet.getByRole("radio", { name: ASK })).toBeChecked();
  await expect(sheet.getByRole("radio", { name: ASK })).toBeFocused();
  await assertAccessibleInThemes(page, "asking");
  await takeThemeScreenshots(page, info, "asking");
  await page.keyboard.press("Control+Enter");
  await expect(sheet.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await expect(sheet).toContainText("Enter a reason. It is sent to the holder.");
  await page.keyboard.type("migration at 14:00");
  await page.keyboard.press("Control+Enter");
  const note = sheet.getByTestId("request");
  await expect(note).toBeFocused();
  await expect(note).toContainText("Release requested");
  await expect(note).toContainText("Requested by mei");
  await expect(sheet.getByRole("status").filter({ hasText: "Release requested" })).toBeAttached();
  const ask = sheet.getByRole("radio", { name: ASK });
  await expect(ask).toHaveAccessibleDescription(
    "Not available: the holder has not answered the last request yet.",
  );
  await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);

  await holder.answer("accepted", "stops after this batch");
  await expect(note).toContainText("The holder accepted the request");
  await expect(note).toContainText("“stops after this batch”");
  await expect(
    sheet
      .getByRole("status")
      .filter({ hasText: "The holder accepted the request: “stops after this batch”" }),
  ).toBeAttached();
  await expect(
    page.getByRole("img", { name: "Release accepted: “stops after this batch”", includeHidden: true }),
  ).toBeVisible();
  await assertAccessibleInThemes(page, "accepted");
  await takeThemeScreenshots(page, info, "accepted");

  const waiting = lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "next@vm-3", waitMs: 55_000 });
  await expect(sheet).toContainText("next@vm-3");
  await holder.release();
  const outcome = sheet.getByTestId("outcome");
  await expect(outcome).toContainText("The holder released the lock");
  await expect(outcome).toContainText(/Time\d\d:\d\d:\d\d\.\d{3} \(Redis time\), .* s after the request/);
  await expect(outcome).toContainText("Held bynext@vm-3");
  await expect(sheet.getByRole("radio")).toHaveCount(0);
  await expect(sheet.getByRole("alert")).toHaveCount(0);
  expect((await waiting).status).toBe(201);
  await assertAccessibleInThemes(page, "released by the holder");
  await takeThemeScreenshots(page, info, "released");
});

test("a refusal is shown with its text, and the same dialog asks again or releases", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("refused");
  const holder = await acquireOverHttp(lockkeeper, name);
  const sheet = await openSheet(page, name);
  await sheet.getByRole("textbox", { name: "Reason" }).fill("deployment");
  await sheet.getByRole("button", { name: "Ask holder to release" }).click();
  const note = sheet.getByTestId("request");
  await expect(note).toContainText("Release requested");
  await holder.answer("refused", "in a payment run until 14:20");
  await expect(note).toContainText("The holder refused the request");
  await expect(note).toContainText("“in a payment run until 14:20”");
  await assertAccessibleInThemes(page, "refused");
  await takeThemeScreenshots(page, info, "refused");
  await sheet.getByRole("radio", { name: ASK }).check();
  await sheet.getByRole("button", { name: "Ask holder to release" }).click();
  await expect(note).toContainText("Waiting for the holder's answer.");
  await expect(note).not.toContainText("14:20");
  await sheet.getByRole("radio", { name: "Release now" }).check();
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});

test("asking is not offered for locks of other libraries and for clients that do not receive requests", async ({
  page,
  lockkeeper,
  key,
}) => {
  const foreign = key("foreign");
  await lockkeeper.redis.runCli("HSET", foreign, `${randomUUID()}:7`, "1");
  await lockkeeper.redis.runCli("PEXPIRE", foreign, "600000");
  const deaf = key("deaf");
  await lockkeeper.api(`${pathOf(deaf)}/acquire`, { owner: "batch@vm-2", leaseMs: 600_000 });
  for (const name of [foreign, deaf]) {
    const sheet = await openSheet(page, name);
    await expect(sheet.getByRole("radio").first()).toHaveAccessibleName("Release now");
    await expect(sheet.getByRole("radio", { name: ASK })).toHaveCount(0);
  }
});

test("a request is shown to others in the dialog, on the lock page, in the events and in the audit log", async ({
  page,
  browser,
  lockkeeper,
  key,
}, info) => {
  const name = key("shown");
  const holder = await acquireOverHttp(lockkeeper, name);
  await page.goto(pathOf(name));
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("batch@vm-2");
  const { body } = await lockkeeper.api(pathOf(name));
  const input = { expectedVersion: body.version, reason: "migration at 14:00" };
  expect((await lockkeeper.api(`${pathOf(name)}/request-release`, input)).status).toBe(200);
  await expect(now).toContainText("Release requested");
  await expect(page.getByTestId("state")).toContainText("An operator asked it to release the lock.");
  await expect(now).toContainText("migration at 14:00");
  const sheet = await openSheet(page, name);
  await expect(sheet.getByTestId("request")).toContainText("Release requested");
  await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);
  await page.keyboard.press("Escape");

  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const viewer = await logIn(context, lockkeeper, "vera", "viewer");
  const viewed = await openSheet(viewer, name);
  await expect(viewed.getByTestId("request")).toContainText("Release requested");
  await expect(viewed.getByRole("radio")).toHaveCount(0);

  await holder.answer("refused", "in a payment run");
  await expect(viewed.getByTestId("request")).toContainText("“in a payment run”");
  await context.close();
  await expect(now).toContainText("Release refused “in a payment run”");
  const bar = page.getByRole("option", {
    name: /asked the holder to release it \(“migration at 14:00”\)/,
  });
  await expect(bar).toHaveAccessibleName(/The holder refused at .*: “in a payment run”\./);
  await expect(page.getByRole("region", { name: "Timeline" })).toContainText("release requested, accepted");
  await takeThemeScreenshots(page, info, "lock-page");
  await page.goto(`/events?q=${encodeURIComponent(`key:${name}`)}`);
  const list = page.locator("[data-id]");
  await expect(list.filter({ hasText: "release requested" })).toContainText("by key:root, “migration");
  await expect(list.filter({ hasText: "release request refused" })).toContainText(
    "batch@vm-2, “in a payment run”",
  );
  await takeThemeScreenshots(page, info, "events");
  await page.goto(`/audit?key=${encodeURIComponent(name)}`);
  await expect(page.getByRole("listitem").filter({ hasText: "Request release" })).toContainText(
    "migration at 14:00",
  );
});

test("on a phone, in Chinese, a holder is asked by touch", async ({ browser, lockkeeper, key }, info) => {
  const name = key("phone");
  const holder = await acquireOverHttp(lockkeeper, name);
  const context = await browser.newContext({ baseURL: lockkeeper.url, viewport: PHONE, hasTouch: true });
  await context.addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url: lockkeeper.url }]);
  const page = await logIn(context, lockkeeper, "mei", "operator");
  await page.goto(pathOf(name));
  await page.getByRole("button", { name: /^释放/ }).tap();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("radio", { name: chinese.method })).toBeChecked();
  await sheet.getByRole("button", { name: chinese.reasons[0] ?? "" }).tap();
  await assertChinese(page, "asking");
  await sheet.getByRole("button", { name: chinese.submit }).tap();
  await expect(sheet.getByTestId("request")).toContainText(chinese.titles.requested);
  await holder.answer("accepted", "ok");
  await expect(sheet.getByTestId("request")).toContainText(chinese.titles.accepted);
  await assertChinese(page, "accepted");
  await assertAccessibleInThemes(page, "accepted, on a phone");
  await takeThemeScreenshots(page, info, "phone");
  const small = (await measureHitAreas(page, "[role=dialog]")).filter(({ height }) => height < 36);
  expect(small).toEqual([]);
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  await expect(page.locator("[data-path]")).toContainText(chinese.states.accepted);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await takeThemeScreenshots(page, info, "phone-list");
  await context.close();
});
