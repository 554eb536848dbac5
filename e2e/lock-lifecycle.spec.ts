import { randomUUID } from "node:crypto";
import { expect, foldFilters, logIn, startConsole, test } from "./console.ts";
import { expectWithin, measureMs } from "./expect-within.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
function withResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
const foreignOwner = () => `${randomUUID()}:42`;

test("a lock acquired twice with curl is listed within 1 s with count 2 and a falling TTL", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("orders:42");
  await foldFilters(page, lockkeeper);
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  await expect(page.getByText("live", { exact: false }).first()).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: "checkout@pod-7:311" });
  await expectWithin(1000, async (attempt) => {
    if (attempt > 1) {
      await lockkeeper.redis.runCli("DEL", name);
      await expect(row).toBeHidden();
    }
    const acquire = () =>
      lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "checkout@pod-7:311", leaseMs: 55_000 });
    const first = await acquire();
    const second = await lockkeeper.callHold("reenter", pathOf(name));
    expect(second.body).toMatchObject({ count: 2, fence: first.body.fence });
    return await measureMs(() => expect(row).toBeVisible());
  });
  await expect(row.getByRole("gridcell", { name: "×2", exact: true })).toBeVisible();
  expect(await lockkeeper.redis.runCli("HGETALL", name)).toMatch(/^[0-9a-f-]{36}:\d+\n2$/);
  const remaining = async () =>
    Number.parseFloat(/([\d.]+) s/.exec((await row.textContent()) ?? "")?.[1] ?? "0");
  const before = await remaining();
  expect(before).toBeGreaterThan(20);
  await expect.poll(remaining).toBeLessThan(before - 1);
});

test("a Redisson hash written with redis-cli is listed, and its expired event arrives within 250 ms", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("import");
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  await expect(page.getByRole("heading", { name: "No lock matches" })).toBeVisible();
  await expectWithin(250, async () => {
    const owner = foreignOwner();
    const expired = lockkeeper.nextEvent("expired", name);
    await lockkeeper.redis.runCli("HSET", name, owner, "1");
    const row = page.getByRole("row").filter({ hasText: owner.slice(0, 8) });
    await expect(row).toBeVisible();
    const leaseMs = 1500;
    const expiresAt = performance.now() + leaseMs;
    await lockkeeper.redis.runCli("PEXPIREAT", name, String(Date.now() + leaseMs));
    const receivedAt = await expired;
    await expect(row).toBeHidden();
    return receivedAt - expiresAt;
  });
  await page.goto(pathOf(name));
  await expect(page.getByText("expired").first()).toBeVisible();
});

test("a force-release from the page wakes the waiters once and records who and why", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("stuck");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "billing@vm-1:7" });
  const messages: string[] = [];
  const listener = lockkeeper.redis.createClient();
  await listener.subscribe(`redisson_lock__channel:{${name}}`);
  listener.on("message", (_, message: string) => messages.push(message));
  await page.goto(pathOf(name));
  await page
    .getByRole("button", { name: /^Release/ })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Release now").first().click();
  await sheet.getByLabel("Reason").fill("worker lost its node");
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
  await expect.poll(() => messages).toEqual(["0"]);
  await page.keyboard.press("Escape");
  await expect(page.getByText("worker lost its node").first()).toBeVisible();
  const { body } = await lockkeeper.api(`${pathOf(name)}/history`);
  expect((body.items as unknown[])[0]).toMatchObject({
    type: "force_released",
    by: "mei",
    reason: "worker lost its node",
  });
});

test("a lock whose holder changes before the click is not released, and the new holder is shown", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("changing");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "first@vm-1" });
  await page.goto(pathOf(name));
  await page
    .getByRole("button", { name: /^Release/ })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Release now").first().click();
  await sheet.getByLabel("Reason").fill("stuck");
  // Changes the holder while the request is in flight, so that only the server can refuse the request.
  await page.route("**/force-release", async (route) => {
    await lockkeeper.callHold("release", pathOf(name));
    await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "second@vm-2" });
    await route.continue();
  });
  const answered = page.waitForResponse("**/force-release");
  await sheet.getByRole("button", { name: "Release lock" }).click();
  expect((await answered).status()).toBe(409);
  await expect(sheet).toContainText("Nothing was released.");
  await expect(sheet).toContainText("second@vm-2");
  expect(await lockkeeper.redis.runCli("HGETALL", name)).toMatch(/^[0-9a-f-]{36}:\d+\n1$/);
});

test("a release sheet is disabled when the holder changes while it is open", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("disarmed");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "first@vm-1" });
  await page.goto(pathOf(name));
  await page
    .getByRole("button", { name: /^Release/ })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Release now").first().click();
  await lockkeeper.callHold("release", pathOf(name));
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "second@vm-2" });
  await expect(sheet.getByTestId("outcome")).toContainText("changed");
  await expect(sheet.getByRole("button", { name: "Release lock" })).toHaveCount(0);
});

test("of two operators who release at once, one succeeds and the other sees the lock gone", async ({
  browser,
  lockkeeper,
  key,
}) => {
  const name = key("twice");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "stuck@vm-1", leaseMs: 600_000 });
  const pages = await Promise.all(
    ["ana", "bo"].map(async (operator) =>
      logIn(await browser.newContext({ baseURL: lockkeeper.url }), lockkeeper, operator),
    ),
  );
  for (const page of pages) {
    await page.goto(pathOf(name));
    await page
      .getByRole("button", { name: /^Release/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("Release now").first().click();
    await page.getByRole("dialog").getByLabel("Reason").fill("both of us");
  }
  // Holds back each request until both are in flight. A page that learns of the other release first would not send its
  // own request.
  let onTheirWay = 0;
  const { promise: bothAre, resolve: go } = withResolvers();
  for (const page of pages) {
    await page.route("**/force-release", async (route) => {
      if (++onTheirWay === pages.length) go();
      await bothAre;
      await route.continue();
    });
  }
  const bodies = await Promise.all(
    pages.map(async (page) => {
      const answered = page.waitForResponse("**/force-release");
      await page.getByRole("dialog").getByRole("button", { name: "Release lock" }).click();
      return (await (await answered).json()) as { outcome: string };
    }),
  );
  expect(bodies.map(({ outcome }) => outcome).sort()).toEqual(["already_gone", "released"]);
  for (const page of pages) await page.context().close();
});

test("the next hold has a larger fencing token, even after a manual DEL", async ({ lockkeeper, key }) => {
  const name = key("fences");
  const fenceOf = async (owner: string) =>
    Number((await lockkeeper.api(`${pathOf(name)}/acquire`, { owner })).body.fence);
  const first = await fenceOf("a");
  await lockkeeper.redis.runCli("DEL", name);
  expect(await fenceOf("b")).toBeGreaterThan(first);
});

test("keys and owners are rendered as inert text on every page", async ({ page, lockkeeper, key }) => {
  const name = `${key("x")}<img src=x onerror="window.hacked=1">\u202E{t}`;
  await lockkeeper.api(`${pathOf(name)}/acquire`, {
    owner: "<script>window.hacked=1</script>",
    record: { service: "<b>bold</b>" },
  });
  for (const path of [`/?q=${encodeURIComponent(key("x"))}`, pathOf(name), "/events"]) {
    await page.goto(path);
    await expect(page.getByText("<img src=x").first()).toBeVisible();
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  }
});

test("a login link works only once", async ({ browser, lockkeeper }) => {
  const link = await lockkeeper.printedLink();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(`${lockkeeper.url}/`);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByText("npm run login").first()).toBeVisible();
  expect(other.url()).not.toContain(link.split("#")[1]);
  await other.goto(await lockkeeper.link());
  await other.waitForURL(`${lockkeeper.url}/`);
  await context.close();
  await other.context().close();
});

test("a Redis outage shows within 3 s and blocks releases, and the console recovers without a reload", async ({
  browser,
}) => {
  const lockkeeper = await startConsole();
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  try {
    const page = await logIn(context, lockkeeper);
    for (const name of ["a", "b", "c"])
      await lockkeeper.api(`/locks/lock:${name}/acquire`, { owner: `holder-${name}`, leaseMs: 600_000 });
    await expect(page.getByRole("row").filter({ hasText: "holder-" })).toHaveCount(3);
    const fenceBefore = (await lockkeeper.callHold("renew", "/locks/lock:a")).body.fence;
    const banner = page.getByTestId("condition-banner");
    await expectWithin(3000, async (attempt) => {
      if (attempt > 1) {
        await lockkeeper.redis.restart();
        await expect(banner).toHaveCount(0);
      }
      await lockkeeper.redis.kill();
      return await measureMs(() => expect(banner).toContainText("stale"));
    });
    const free = page.getByRole("button", { name: "Release lock:a" });
    await expect(free).toHaveAttribute("aria-disabled", "true");
    await lockkeeper.redis.restart();
    const other = foreignOwner();
    await lockkeeper.redis.runCli("HSET", "lock:after", other, "1");
    await expect(banner).toHaveCount(0);
    await expect(page.getByRole("row").filter({ hasText: "lock:" })).toHaveCount(1);
    await expect(page.getByRole("row").filter({ hasText: other.slice(0, 8) })).toBeVisible();
    await expect(page.getByRole("button", { name: "Release lock:after" })).not.toHaveAttribute(
      "aria-disabled",
      "true",
    );
    const again = await lockkeeper.api("/locks/lock:a/acquire", { owner: "holder-a" });
    expect(Number(again.body.fence)).toBeGreaterThan(Number(fenceBefore));
    expect(again.status).toBe(201);
    await expect(page.getByRole("row").filter({ hasText: "holder-a" })).toBeVisible();
  } finally {
    await context.close();
    await lockkeeper.stop();
  }
});

test("the console works through the web adapter", async ({ browser }) => {
  const lockkeeper = await startConsole({ LOCKKEEPER_HTTP_ADAPTER: "next" });
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  try {
    const page = await logIn(context, lockkeeper);
    await lockkeeper.api(`${pathOf("lock:a/b c")}/acquire`, { owner: "me@next" });
    await expect(page.getByRole("row").filter({ hasText: "me@next" })).toBeVisible();
    expect((await lockkeeper.api(pathOf("lock:a/b c"))).body).toMatchObject({
      key: "lock:a/b c",
      holders: [{ owner: "me@next" }],
    });
  } finally {
    await context.close();
    await lockkeeper.stop();
  }
});

test("a lock page shows the typical hold time of its key pattern", async ({ page, lockkeeper, key }) => {
  const bill = (number: number) => `/locks/${encodeURIComponent(`${key("bill")}:${number}`)}`;
  for (const number of [1, 2, 3, 4]) {
    await lockkeeper.api(`${bill(number)}/acquire`, { owner: "a" });
    await lockkeeper.callHold("release", bill(number));
  }
  await lockkeeper.api(`${bill(5)}/acquire`, { owner: "a" });
  await expect
    .poll(async () => (await lockkeeper.api(`${bill(5)}/typical`)).body.heldMs)
    .toMatchObject({ samples: expect.any(Number) });
  await page.goto(bill(5));
  await expect(page.getByTestId("typically-held")).toContainText(/typical(ly)? \d+(\.\d)? m?s \(p95 /);
});
