import { beginSession, expect, test } from "./console.ts";
import { expectWithin } from "./expect-within.ts";
import { loadSlowly } from "./slow-network.ts";
import { test as visitorTest } from "./visitor.ts";

const FIRST_ROW_MS_MAX = 6000;

test("at 400 kbit/s and 400 ms the first rows are on the screen within 6 s", async ({
  browser,
  lockkeeper,
  key,
}) => {
  test.setTimeout(120_000);
  for (let n = 0; n < 40; n++) {
    const path = encodeURIComponent(key(`slow-${n}`));
    await lockkeeper.api(`/locks/${path}/acquire`, { owner: `worker-${n}@vm-1`, leaseMs: 600_000 });
  }
  await expectWithin(
    FIRST_ROW_MS_MAX,
    async () => {
      const context = await browser.newContext();
      await beginSession(context, lockkeeper);
      const load = await loadSlowly(context, `${lockkeeper.url}/`);
      const fonts = [...load.requests].filter(
        ({ type, startMs }) => type === "Font" && startMs < load.firstRowMs,
      );
      expect(fonts, "fonts come after the rows").toEqual([]);
      await context.close();
      return load.firstRowMs;
    },
    3,
  );
});

test("the list of the URL is rendered without JavaScript, with hostile text as text", async ({
  browser,
  lockkeeper,
  loggedIn,
  key,
}) => {
  const hostile = key("</script><script>window.planted=1</script><img src=x onerror=window.planted=1>");
  const other = key("other");
  for (const name of [hostile, other]) {
    const { status } = await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, {
      owner: "<b>me</b>",
      leaseMs: 600_000,
    });
    expect(status).toBe(201);
  }
  const context = await browser.newContext({
    baseURL: lockkeeper.url,
    storageState: JSON.parse(loggedIn),
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}&sort=key`);
  const rows = page.getByRole("list", { name: "Locks" }).getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: "<img src=x" })).toContainText("<b>me</b>");
  await expect(page.locator("main img, main b")).toHaveCount(0);
  await rows.filter({ hasText: "other" }).getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/locks/${encodeURIComponent(other)}$`));
  await page.goto(`/?q=${encodeURIComponent(`key:${other}`)}`);
  await expect(rows).toHaveCount(1);
  await context.close();
});

test("the server's rows are replaced by the table without hydration errors", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("seen");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  const document = await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  expect(await document?.text()).toContain("data-first-row");
  await expect(page.getByRole("row").filter({ hasText: "me@vm-1" })).toBeVisible();
  await expect(page.locator("[data-first-row]")).toHaveCount(0);
});

test("a document without a session has no rows", async ({ browser, lockkeeper, key }) => {
  const name = key("secret");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  const context = await browser.newContext();
  const headers = { cookie: "lockkeeper_session=forged" };
  const document = await context.request.get(`${lockkeeper.url}/?q=${encodeURIComponent(`key:${name}`)}`, {
    headers,
  });
  expect([document.status(), document.headers()["cache-control"]]).toEqual([
    200,
    expect.stringContaining("no-store"),
  ]);
  expect(await document.text()).not.toContain("me@vm-1");
  await context.close();
});

visitorTest(
  "a visitor gets the login form at the start page, and no request is refused",
  async ({ visitor }) => {
    await visitor.goto("/");
    await expect(visitor.getByRole("button", { name: "Log in" })).toBeVisible();
    await expect(visitor.getByLabel("Password")).toBeVisible();
    await expect(visitor.getByRole("navigation")).toHaveCount(0);
  },
);
