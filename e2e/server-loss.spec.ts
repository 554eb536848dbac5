import type { Page } from "@playwright/test";
import { type Console, test as consoleTest, expect, logIn, startConsole } from "./console.ts";
import { expectWithin, measureMs } from "./expect-within.ts";

const OWNER = "worker@vm-1";

/** Tests with a separate console that has one lock, and an open page of this console. Tests may kill the server. */
const test = consoleTest.extend<{ server: Console; open: Page }>({
  server: async ({ browserName: _ }, use) => {
    const server = await startConsole();
    await server.api("/locks/lock%3Akept/acquire", { owner: OWNER, leaseMs: 3_600_000 });
    await use(server);
    await server.stop();
  },
  open: async ({ browser, server }, use) => {
    const context = await browser.newContext({ baseURL: server.url });
    const page = await logIn(context, server);
    await expect(liveRow(page)).toBeVisible();
    await expect(pill(page)).toContainText("live");
    await page.evaluate("window.isSameDocument = true");
    await use(page);
    await context.close();
  },
});

const pill = (page: Page) => page.getByTestId("connection");
const liveRow = (page: Page) => page.getByRole("row").filter({ hasText: OWNER });

async function assertSameDocument(page: Page): Promise<void> {
  expect(await page.evaluate("window.isSameDocument")).toBe(true);
}

/** Collects the methods and paths of the requests that the page sends from now on, except for static files. */
function collectRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    // Excludes files, because a file that was loading when the server stopped is requested again.
    if (!pathname.startsWith("/_next/static/")) requests.push(`${request.method()} ${pathname}`);
  });
  return requests;
}

test("a page whose server was killed reports it within 1 s and is live again without a reload", async ({
  open: page,
  server,
}) => {
  await expectWithin(
    1000,
    async (attempt) => {
      if (attempt > 1) {
        await server.restart();
        await expect(pill(page)).toHaveText(/^live/);
      }
      const killed = server.kill();
      const ms = await measureMs(() => expect(pill(page)).toContainText("reconnecting"));
      await killed;
      return ms;
    },
    4,
  );
  await expect(page.getByTestId("condition-banner")).toBeVisible();
  await expect(liveRow(page)).toBeVisible();
  await server.restart();
  await expect(page.getByTestId("condition-banner")).toHaveCount(0);
  await server.api("/locks/lock%3Alater/acquire", { owner: "other@vm-2", leaseMs: 600_000 });
  await expect(page.getByRole("row").filter({ hasText: "other@vm-2" })).toBeVisible();
  await assertSameDocument(page);
});

test("every link keeps the page while the server is down, and the last click is followed when it is back", async ({
  open: page,
  server,
}) => {
  const { url } = server;
  await server.kill();
  await expect(pill(page)).toContainText("reconnecting");
  const requests = collectRequests(page);
  const links = page.getByRole("navigation", { name: "Console" }).getByRole("link");
  const count = await links.count();
  expect(count).toBeGreaterThan(5);
  for (let at = 0; at < count; at++) {
    await links.nth(at).click();
    await expect(liveRow(page)).toBeVisible();
    expect(page.url()).toBe(`${url}/`);
  }
  await links.filter({ hasText: "Owners" }).click();
  await expect(page.getByTestId("condition-banner")).toBeVisible();
  await assertSameDocument(page);
  // While the server is down, the page only sends one small request at a time, to check whether the server is back.
  await expect.poll(() => requests.length).toBeGreaterThan(1);
  expect([...new Set(requests)]).toEqual(["HEAD /api/v1/live"]);
  await server.restart();
  await expect(page).toHaveURL(`${url}/owners`);
  await expect(page.getByRole("main").getByText(OWNER).first()).toBeVisible();
  await expect(pill(page)).toHaveText(/^live/);
  await assertSameDocument(page);
});

test("a reason that was typed survives the loss of the server", async ({ open: page, server }) => {
  await page.getByRole("button", { name: "Release lock:kept" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("radio", { name: /Release now/ }).check();
  const reason = sheet.getByLabel("Reason");
  await reason.fill("the node is gone");
  await server.kill();
  await expect(pill(page)).toContainText("reconnecting");
  await server.restart();
  await expect(pill(page)).toHaveText(/^live/);
  await expect(reason).toHaveValue("the node is gone");
  await assertSameDocument(page);
});

test("a session that was ended elsewhere leaves no name, role or count on the page", async ({
  open: page,
  server,
}) => {
  await expect(page.getByTestId("operator")).toBeVisible();
  const headers = { origin: server.url };
  const other = await page.context().newPage();
  await other.goto(`${server.url}/docs`);
  expect((await page.context().request.post(`${server.url}/api/v1/logout`, { headers })).status()).toBe(204);
  await expect(page.getByRole("heading", { name: "You are not logged in" })).toBeVisible();
  await expect(page.getByTestId("operator")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Log out" })).toHaveCount(0);
  const navigation = page.getByRole("navigation", { name: "Console" });
  await expect(navigation.getByRole("link", { name: "Audit log" })).toHaveCount(0);
  await expect(navigation.getByRole("link", { name: /Locks/ })).toHaveText("Locks");
});
