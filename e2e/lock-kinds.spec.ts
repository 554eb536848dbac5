import { randomUUID } from "node:crypto";
import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { type Console, expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const LEASE_MS = 600_000;
/** A hostile owner string. It must not be rendered as HTML, reorder the text beside it or widen the page. */
const HOSTILE = `<img src=x onerror=alert(1)> \u05e2\u05d1\u05e8\u05d9\u05ea ${"long-".repeat(40)}`.slice(
  0,
  190,
);

async function acquire({ api }: Console, key: string, owner: string, fields: object) {
  const { status } = await api(`${pathOf(key)}/acquire`, { owner, leaseMs: LEASE_MS, ...fields });
  expect(status).toBe(201);
}

/** Adds readers in Redisson's format. Each reader has a field in the hash and a separate key that holds its lease. */
async function addRedissonReaders({ redis }: Console, key: string, count: number): Promise<void> {
  const pipeline = redis.createClient().pipeline();
  for (let at = 0; at < count; at++) {
    const reader = `${randomUUID()}:${at + 1}`;
    pipeline.hset(key, "mode", "read", reader, "1");
    pipeline.set(`{${key}}:${reader}:rwlock_timeout:1`, "1", "PX", LEASE_MS);
  }
  pipeline.pexpire(key, LEASE_MS);
  await pipeline.exec();
}

test("readers are listed one by one, and releasing one leaves the others", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("catalog");
  for (const owner of ["report", HOSTILE, "search"])
    await acquire(lockkeeper, name, owner, { kind: "read", format: "redisson" });
  await page.goto(`/?q=${encodeURIComponent(`kind:read key:${name}`)}`);
  const row = page.getByRole("row").filter({ hasText: "3 readers" });
  await expect(row).toContainText("read lock");
  await takeThemeScreenshots(page, info, "readers-list");

  await page.goto(pathOf(name));
  await expect(page.getByTestId("state")).toContainText("Held by 3 readers.");
  const readers = page.getByRole("group", { name: "Readers" });
  await expect(readers.getByRole("listitem")).toHaveCount(3);
  await expect(readers.locator("img")).toHaveCount(0);
  await assertAccessibleInThemes(page, "readers");
  await takeThemeScreenshots(page, info, "readers-page", { fullPage: true });

  await readers.getByRole("button", { name: "Release report" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: /^Release one reader of/ })).toBeVisible();
  await expect(dialog).toContainText("report");
  await expect(dialog).toContainText("2 other readers keep the lock");
  await expect(dialog).toContainText(
    "No writer can acquire the lock yet, because 2 other readers still hold it.",
  );
  await takeThemeScreenshots(page, info, "readers-release");
  await dialog.getByRole("radio", { name: "Release now" }).check();
  await dialog.getByRole("textbox", { name: /^Reason/ }).fill("report is stuck");
  await dialog.getByRole("button", { name: "Release reader" }).click();
  await expect(dialog).toContainText("The hold of report has ended.");
  await page.keyboard.press("Escape");
  await expect(readers.getByRole("listitem")).toHaveCount(2);
  const { body } = await lockkeeper.api(pathOf(name));
  expect((body.holders as { owner: string }[]).map(({ owner }) => owner).sort()).toEqual([HOSTILE, "search"]);
});

test("a participant that leaves while its dialog is open is not replaced by another one", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("leaving");
  for (const owner of ["stays", "joins"])
    await acquire(lockkeeper, name, owner, { kind: "read", format: "redisson" });
  await acquire(lockkeeper, name, "leaves", { kind: "read", format: "redisson" });
  await page.goto(pathOf(name));
  await page.getByRole("button", { name: "Release leaves" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("2 other readers keep the lock");
  // Releases the hold of "leaves", which was acquired last.
  expect((await lockkeeper.callHold("release", pathOf(name))).status).toBe(200);
  await expect(dialog).toContainText("This participant is no longer a holder.");
  await expect(dialog.getByRole("button", { name: "Review the current hold" })).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: /^Release/ })).toHaveCount(0);
});

test("many readers of Redisson are filtered and shown in steps, in Chinese as well", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("crowd");
  await addRedissonReaders(lockkeeper, name, 150);
  await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url: lockkeeper.url }]);
  await page.goto(pathOf(name));
  await expect(page.getByTestId("state")).toContainText("由 150 个读者持有");
  const readers = page.getByRole("group", { name: "读者" });
  await expect(readers.getByRole("listitem")).toHaveCount(20);
  await readers.getByRole("button", { name: "再显示 100 个" }).click();
  await expect(readers.getByRole("listitem")).toHaveCount(120);
  await readers.getByRole("searchbox", { name: "按所有者筛选" }).fill("no such owner");
  await expect(readers).toContainText("没有匹配的持有者。");
  await readers.getByRole("searchbox").clear();
  await page.setViewportSize({ width: 390, height: 844 });
  await takeThemeScreenshots(page, info, "crowd-390-zh");
});

test("a semaphore shows its permits, and the permits of one holder are released", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("exports");
  const options = { kind: "semaphore", format: "redisson", limit: 10 };
  await acquire(lockkeeper, name, "importer", { ...options, permits: 2 });
  await acquire(lockkeeper, name, "mailer", { ...options, permits: 1 });
  await page.goto(`/?q=${encodeURIComponent(`kind:semaphore key:${name}`)}`);
  await expect(page.getByRole("row").filter({ hasText: "3 of 10 permits" })).toContainText("semaphore");
  await page.goto(pathOf(name));
  const meter = page.getByRole("meter", { name: "Acquired permits" });
  await expect(meter).toHaveAttribute("aria-valuetext", "3 of 10 permits");
  await takeThemeScreenshots(page, info, "semaphore-page", { fullPage: true });
  await page.getByRole("button", { name: "Release importer" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: /^Release 2 permits of/ })).toBeVisible();
  await expect(dialog).toContainText("1 other holder keeps its permits. 9 of 10 permits will be available.");
  await takeThemeScreenshots(page, info, "semaphore-release");
  await dialog.getByRole("radio", { name: "Release now" }).check();
  await dialog.getByRole("textbox", { name: /^Reason/ }).fill("importer is stuck");
  await dialog.getByRole("button", { name: "Release permits" }).click();
  await expect(dialog).toContainText("The hold of importer has ended.");
  await page.keyboard.press("Escape");
  await expect(meter).toHaveAttribute("aria-valuetext", "1 of 10 permits");
});

test("a fair lock shows its queue, and what a dead waiter of each library costs", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("settle");
  await acquire(lockkeeper, name, "billing", { kind: "fair", format: "redisson" });
  const waiter = `${randomUUID()}:7`;
  const direct = lockkeeper.redis.createClient();
  await direct.rpush(`redisson_lock_queue:{${name}}`, waiter);
  await direct.zadd(`redisson_lock_timeout:{${name}}`, Date.now() + LEASE_MS, waiter);
  await page.goto(`/?q=${encodeURIComponent(`kind:fair key:${name}`)}`);
  await expect(page.getByRole("row").filter({ hasText: "billing" })).toContainText("fair lock · 1 in queue");
  await page.goto(pathOf(name));
  const queue = page.getByRole("region", { name: "Waiting: 1" });
  await expect(queue).toContainText("If the client died, it can block the queue for another");
  await takeThemeScreenshots(page, info, "fair-page", { fullPage: true });
});

test("a key that is too large to read is not shown as free", async ({ page, lockkeeper, key }) => {
  const name = key("stampede");
  await addRedissonReaders(lockkeeper, name, 300);
  await page.goto(pathOf(name));
  await expect(page.getByTestId("free")).toContainText("Not read: larger than Lockkeeper's size limit.");
  await expect(page.getByTestId("free")).toContainText("It is not known whether this lock is held.");
  await expect(page.getByText("Not held")).toHaveCount(0);
});

test("a latch shows its count instead of a holder, and is opened", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("start");
  const path = `/latches/${encodeURIComponent(name)}`;
  const { status } = await lockkeeper.putApi(path, { count: 3 });
  expect(status).toBe(201);
  await page.goto(`/?q=${encodeURIComponent(`kind:latch key:${name}`)}`);
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("count 3");
  await page.goto(pathOf(name));
  await expect(page.getByTestId("state")).toContainText("Closed: the count is 3.");
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("Closed for");
  await expect(now).not.toContainText("no TTL");
  await takeThemeScreenshots(page, info, "latch-page", { fullPage: true });
  await page.keyboard.press("r");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: /^Open latch/ })).toBeVisible();
  await expect(dialog.getByText("Held by")).toHaveCount(0);
  await takeThemeScreenshots(page, info, "latch-dialog");
  await dialog.getByRole("radio", { name: "Open latch" }).check();
  await dialog.getByRole("textbox", { name: /^Reason/ }).fill("the job is cancelled");
  await dialog.getByRole("button", { name: "Open latch" }).click();
  await expect(dialog.getByTestId("outcome")).toBeVisible();
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});
