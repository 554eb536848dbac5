import { ERROR_CODES, TITLE_OF_CODE } from "../lib/contract/error.ts";
import { createProblemExample } from "../lib/contract/problems/problem-catalogue.ts";
import { zh } from "../lib/i18n/zh/messages.ts";
import { assertAccessible, assertAccessibleInThemes } from "./accessibility.ts";
import { assertChinese } from "./assert-chinese.ts";
import { expect } from "./console.ts";
import { test } from "./visitor.ts";

test("the table of problem codes lists every code, without a login and without the API", async ({
  visitor,
}) => {
  const apiRequests: string[] = [];
  visitor.on("request", (request) => {
    if (request.url().includes("/api/")) apiRequests.push(request.url());
  });
  await visitor.goto("/problems");
  await expect(visitor).toHaveTitle("Problem codes · Lockkeeper");
  const codes = visitor.getByRole("table").getByRole("link");
  await expect(codes).toHaveText([...ERROR_CODES]);
  await assertAccessibleInThemes(visitor, "problems");
  await codes.getByText("held", { exact: true }).click();
  await expect(visitor.getByRole("heading", { name: TITLE_OF_CODE.held })).toBeVisible();
  await assertAccessibleInThemes(visitor, "problem held");
  expect(apiRequests).toEqual([]);
});

test("the type of a problem leads to the page of its code", async ({ visitor, lockkeeper, key }) => {
  const path = `/locks/${encodeURIComponent(key("type"))}/acquire`;
  await lockkeeper.api(path, {});
  const { status, body } = await lockkeeper.api(path, {});
  expect([status, body.code]).toEqual([409, "held"]);
  const page = new URL(String(body.type), `${lockkeeper.url}/api/v1${path}`);
  expect((await visitor.goto(page.href))?.status()).toBe(200);
  await expect(visitor).toHaveTitle("held · Lockkeeper");
  await expect(visitor.getByText("409 held", { exact: true })).toBeVisible();
  await expect(visitor.getByText("Nothing was changed.")).toBeVisible();
  await expect(visitor.getByText("Wait, then send the same request again.")).toBeVisible();
  await expect(visitor.getByRole("row", { name: "remainingMs" })).toContainText("null");
  const example = await visitor.locator("pre").textContent();
  expect(JSON.parse(example ?? "")).toEqual(createProblemExample("held"));
});

test("an unknown problem code is a page that does not exist", async ({ lockkeeper }) => {
  for (const code of ["no_such_code", "toString", "HELD"]) {
    const response = await fetch(`${lockkeeper.url}/problems/${code}`);
    expect([code, response.status]).toEqual([code, 404]);
  }
});

test("problem pages and samples can be read without JavaScript", async ({ browser, lockkeeper }) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/problems/unknown_outcome");
  await expect(page.getByRole("heading", { name: TITLE_OF_CODE.unknown_outcome })).toBeVisible();
  await expect(page.getByText("The request may or may not have been carried out.")).toBeVisible();
  await expect(page.locator("pre")).toContainText('"code": "unknown_outcome"');
  await page.goto("/problems");
  await expect(page.getByRole("table").getByRole("link")).toHaveCount(ERROR_CODES.length);
  await page.goto("/docs");
  await expect(page.getByRole("heading", { name: "Quick start: a safe lock" })).toBeVisible();
  await expect(page.getByText(`curl -O ${lockkeeper.url}/samples/safe-lock.sh`)).toBeVisible();
  await context.close();
});

test("every problem page fits a phone and passes the accessibility rules", async ({ visitor }) => {
  await visitor.setViewportSize({ width: 375, height: 740 });
  for (const code of ["held", "changed", "internal"]) {
    await visitor.goto(`/problems/${code}`);
    await assertAccessible(visitor, code);
    const wide = await visitor.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, code).toBeLessThanOrEqual(375);
  }
});

test("problem pages are in Chinese for a browser that prefers it", async ({ browser, lockkeeper }) => {
  const context = await browser.newContext({ baseURL: lockkeeper.url, locale: "zh-CN" });
  const page = await context.newPage();
  await page.goto("/problems");
  await expect(page.getByRole("heading", { name: zh.problemPages.title })).toBeVisible();
  await assertChinese(page, "problems");
  await page.goto("/problems/lost");
  const title = zh.problems.translations?.ofCode.lost.title ?? "";
  await expect(page.getByRole("heading", { name: title })).toBeVisible();
  await assertChinese(page, "problem lost");
  await page
    .getByRole("button", { name: "Switch to English" })
    .or(page.getByRole("button", { name: "English" }))
    .click();
  await expect(page.getByRole("heading", { name: TITLE_OF_CODE.lost })).toBeVisible();
  await context.close();
});
