import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, foldFilters, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const reservedByMei = "lockkeeper:reserve:mei";

async function tabTo(page: Page, name: string): Promise<void> {
  const button = page.getByRole("dialog").getByRole("button", { name, exact: true });
  for (let step = 0; step < 12; step++) {
    if (await button.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${name} is not reached with Tab`);
}

test("a Redisson lock is released and reserved by keyboard alone, and no client can acquire it", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("stuck");
  await lockkeeper.redis.runCli("HSET", name, `${randomUUID()}:42`, "1");
  await lockkeeper.redis.runCli("PEXPIRE", name, "600000");
  await page.goto(pathOf(name));
  await expect(page.getByText("a hash of owners and counts")).toBeVisible();
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByLabel("Release now")).toBeFocused();
  await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(sheet.getByLabel("Release and reserve for 60 s")).toBeChecked();
  await expect(sheet).toContainText("no client can acquire it");
  await page.keyboard.press("Tab");
  await page.keyboard.type("worker lost its node");
  await tabTo(page, "Release and reserve");
  await page.keyboard.press("Enter");
  await expect(sheet.getByTestId("outcome")).toContainText("Released and reserved");
  await expect(sheet.getByTestId("outcome")).toContainText(
    /No client can acquire the lock until \d\d:\d\d:\d\d/,
  );
  expect(await lockkeeper.redis.runCli("HGETALL", name)).toBe(`${reservedByMei}\n1`);
  expect(Number(await lockkeeper.redis.runCli("PTTL", name))).toBeGreaterThan(50_000);
  expect((await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "me" })).body.code).toBe("held");
  await page.keyboard.press("Escape");
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("Reservedby mei");
  await expect(now).toContainText(reservedByMei);
  const { body } = await lockkeeper.api(`${pathOf(name)}/history`);
  expect((body.items as Record<string, unknown>[]).slice(0, 2)).toMatchObject([
    { type: "acquired", owner: reservedByMei, observed: "exact" },
    { type: "force_released", by: "mei", reason: "worker lost its node", observed: "exact" },
  ]);
});

test("locks of every format are listed with their format and released from the table", async ({
  page,
  lockkeeper,
  key,
}) => {
  for (const format of ["redisson", "token", "timestamp"])
    await lockkeeper.api(`${pathOf(key(format))}/acquire`, { owner: `owner-of-${format}`, format });
  // The viewport is wide enough for the format column.
  await page.setViewportSize({ width: 2560, height: 900 });
  await foldFilters(page, lockkeeper);
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}&sort=format`);
  const rows = page.getByRole("row").filter({ hasText: "owner-of-" });
  await expect(rows).toHaveCount(3);
  for (const [at, label] of ["Redisson", "Timestamp string", "Token string"].entries())
    await expect(rows.nth(at).getByRole("gridcell", { name: label, exact: true })).toBeVisible();
  for (const format of ["token", "timestamp"]) {
    await page
      .getByRole("row")
      .filter({ hasText: `owner-of-${format}` })
      .click();
    await page.keyboard.press("r");
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Release now").check();
    await sheet.getByLabel("Reason").fill("its owner is gone");
    await sheet.getByRole("button", { name: "Release lock" }).click();
    await expect(sheet.getByTestId("outcome")).toContainText("Released");
    await page.keyboard.press("Escape");
    expect(await lockkeeper.redis.runCli("EXISTS", key(format))).toBe("0");
  }
  // While the pointer is in the list, ended rows stay visible and show how their holds ended, until the user refreshes
  // the list.
  await expect(page.getByTestId("row-end")).toHaveText([/^released by mei/, /^released by mei/]);
  await page.getByTestId("changes").click();
  await expect(rows).toHaveCount(1);
});

test("a lock that is gone at the click is not reserved, and the sheet reports it", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("gone");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "first@vm-1" });
  await page.goto(pathOf(name));
  await page.getByRole("button", { name: "Release…", exact: true }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release and reserve for 60 s").check();
  await sheet.getByLabel("Reason").fill("stuck");
  await page.route("**/force-release", async (route) => {
    await lockkeeper.callHold("release", pathOf(name));
    await route.continue();
  });
  await sheet.getByRole("button", { name: "Release and reserve" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Nothing was reserved");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});

test("reservations are described in plain words, with the owner string in Redis second", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const [least, grace] = [key("least"), key("grace")];
  await lockkeeper.api(`${pathOf(least)}/acquire`, { owner: "cron@vm-3", minHoldMs: 600_000 });
  await lockkeeper.callHold("release", pathOf(least));
  await lockkeeper.api(`${pathOf(key("root"))}/reserve`, { reservedMs: 600_000, reason: "migration" });
  await lockkeeper.api(`${pathOf(grace)}/acquire`, { owner: "gone@vm-1", leaseMs: 100, graceMs: 600_000 });
  const look = async (what: string) => {
    await assertAccessibleInThemes(page, what);
    await takeThemeScreenshots(page, info, what);
  };
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  await expect(row("reserved: minimum hold time")).toContainText("lockkeeper:reserve:min-hold");
  await expect(row("reserved by key:root")).toContainText("lockkeeper:reserve:key:root");
  await expect(row("gone@vm-1").getByTitle(/lease has expired/)).toBeVisible();
  await look("table");
  await page.goto(pathOf(grace));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Leaseexpired");
  await look("grace");
  await page.goto(pathOf(key("root")));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Reservedby key:root");
  await look("reserved");
  await page.getByRole("button", { name: "Release…", exact: true }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet).toContainText("the lock is reserved, not held by a client");
  await sheet.getByLabel("Release and reserve for 60 s").check();
  await look("sheet");
  await sheet.getByLabel("Reason").fill("longer");
  await sheet.getByRole("button", { name: "Release and reserve" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("The reservation by key:root has ended.");
  await look("reserved");
});
