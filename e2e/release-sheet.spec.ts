import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { assertAccessibleInThemes } from "./accessibility.ts";
import { type Console, expect, logIn, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;

async function openSheet(page: Page, key: string) {
  await page.goto(pathOf(key));
  await page
    .getByRole("button", { name: /^Release/ })
    .first()
    .click();
  return page.getByRole("dialog");
}

/** Acquires a lock with a renewal interval, does not renew it, and waits until the renewal is overdue. */
async function acquireOverdue(lockkeeper: Console, key: string): Promise<void> {
  const stated = { leaseMs: 600_000, renewEveryMs: 1000 };
  await lockkeeper.api(`${pathOf(key)}/acquire`, { owner: "dead@vm-9", ...stated });
  await expect
    .poll(async () => ((await lockkeeper.api(pathOf(key))).body.liveness as { state: string } | null)?.state)
    .toBe("overdue");
}

test("an overdue lock is released with three keys from the list, and the focus returns to the rows", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("overdue");
  await acquireOverdue(lockkeeper, name);
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  const row = page.locator("[data-path]");
  await expect(row).toHaveCount(1);
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByLabel("Release now")).toBeFocused();
  await expect(sheet.getByLabel("Release now")).toBeChecked();
  await expect(sheet.getByTestId("alive")).toContainText("The renewal is overdue");
  await assertAccessibleInThemes(page, "overdue");
  await page.keyboard.press("Control+Enter");
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expect(page.locator("main tr:focus, main section:focus")).toHaveCount(1);
});

test("a preselected release is cleared when the holder renews, and never returns by itself", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("back");
  await acquireOverdue(lockkeeper, name);
  const sheet = await openSheet(page, name);
  const release = sheet.getByLabel("Release now");
  await expect(release).toBeChecked();
  await lockkeeper.callHold("renew", pathOf(name), { leaseMs: 600_000 });
  await expect(sheet).toContainText("The holder's liveness changed. Choose an action.");
  await expect(release).not.toBeChecked();
  await page.keyboard.press("Control+Enter");
  await expect(release).toBeFocused();
  // Without another renewal, the lock becomes overdue again.
  await expect(sheet.getByTestId("alive")).toContainText("The renewal is overdue");
  await expect(release).not.toBeChecked();
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("1");
});

test("a release sheet opened at 200 % zoom shows the holder first", async ({ page, lockkeeper, key }) => {
  const name = key("zoomed");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "first@vm-1", leaseMs: 600_000 });
  await page.setViewportSize({ width: 720, height: 450 });
  const sheet = await openSheet(page, name);
  await expect(sheet.getByRole("heading", { name: `Release ${name}` })).toBeFocused();
  await expect(sheet.getByText("first@vm-1").first()).toBeInViewport();
});

test("on a desk, an alive holder's form fits with its reason, without scrolling", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("fits");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "first@vm-1", leaseMs: 600_000 });
  await page.setViewportSize({ width: 1440, height: 900 });
  const sheet = await openSheet(page, name);
  await expect(sheet.getByText("first@vm-1").first()).toBeInViewport();
  await expect(sheet.getByLabel("Reason")).toBeInViewport({ ratio: 1 });
});

test("a viewer sees the facts of a lock without a form, and no command that deletes it", async ({
  browser,
  lockkeeper,
  key,
}) => {
  const name = key("viewed");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "held@vm-1", leaseMs: 600_000, format: "token" });
  const context = await browser.newContext({ baseURL: lockkeeper.url });
  const page = await logIn(context, lockkeeper, "vera", "viewer");
  await page.goto(pathOf(name));
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("held@vm-1");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("alert")).toHaveText("Your role (viewer) cannot release locks here.");
  await expect(sheet.getByRole("region", { name: "What happens next" })).toContainText("Next holder");
  await expect(sheet.getByRole("radio")).toHaveCount(0);
  await expect(sheet.getByRole("textbox")).toHaveCount(0);
  await expect(sheet.getByRole("button")).toHaveText(["Close"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  for (const item of [/^curl: release/, /^redis-cli: release/]) {
    const command = page.getByRole("menuitem", { name: item });
    await expect(command).toHaveAttribute("aria-disabled", "true");
    await expect(command).toContainText("Your role (viewer) cannot release locks here.");
  }
  await context.close();
});

test("an open release sheet is disabled when the hold changes, and its result links to the event", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("live");
  const verb = (what: string, owner: string, more = {}) =>
    lockkeeper.api(`${pathOf(name)}/${what}`, { owner, ...more });
  await verb("acquire", "first@vm-1", { leaseMs: 600_000 });
  const sheet = await openSheet(page, name);
  await expect(sheet.getByRole("region", { name: "Holder" })).toContainText("first@vm-1");
  await expect(sheet.getByTestId("alive")).toContainText("Liveness is unknown");
  await expect(sheet.getByRole("region", { name: "What happens next" })).toContainText(
    "Its next renewal fails with lost",
  );
  await expect(sheet.getByLabel("Release now")).toBeFocused();
  await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("typed for the first holder");

  await lockkeeper.callHold("release", `/locks/${encodeURIComponent(name)}`);
  await verb("acquire", "second@vm-2", { leaseMs: 600_000 });
  await expect(sheet.getByTestId("outcome")).toContainText("The hold changed.");
  await expect(sheet.getByTestId("outcome")).toContainText("second@vm-2");
  await expect(sheet.getByRole("radio")).toHaveCount(0);
  await expect(sheet.getByTestId("outcome")).toBeFocused();
  // The displayed times of the ended hold stop, while the times of the new hold keep running.
  const ended = sheet.getByRole("region", { name: "The hold you opened" });
  const newTimes = page.getByRole("region", { name: "Now", includeHidden: true });
  await expect(newTimes).toContainText("second@vm-2");
  const waitForTick = async () => {
    const before = (await newTimes.textContent()) ?? "";
    await expect(newTimes).not.toHaveText(before);
  };
  // The event that contains the end time may arrive after the new hold is shown.
  await waitForTick();
  const frozen = await ended.textContent();
  for (let tick = 0; tick < 3; tick++) await waitForTick();
  await expect(ended).toHaveText(frozen ?? "");
  await assertAccessibleInThemes(page, "changed");
  await sheet.getByRole("button", { name: "Review the current hold" }).click();
  await expect(sheet.getByLabel("Release now")).toBeFocused();
  await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);
  await expect(sheet.getByLabel("Reason")).toHaveValue("");

  const waiting = verb("acquire", "third@vm-3", { waitMs: 55_000 });
  await expect(sheet).toContainText("Next holderthird@vm-3, waiting");
  // Enter alone sends nothing. Ctrl+Enter moves the focus to the missing input: first the action, then the reason.
  await page.keyboard.press("Control+Enter");
  await expect(sheet.getByLabel("Release now")).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await expect(sheet.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await expect(sheet).toContainText("Enter a reason: the holder's liveness is unknown.");
  expect(await lockkeeper.redis.runCli("HGETALL", name)).toMatch(/^[0-9a-f-]{36}:\d+\n1$/);
  await page.keyboard.type("its node is gone");
  await page.keyboard.press("Control+Enter");
  const outcome = sheet.getByTestId("outcome");
  await expect(outcome).toBeFocused();
  await expect(outcome).toContainText("The hold of second@vm-2 has ended.");
  await expect(outcome).toContainText(/Time\d\d:\d\d:\d\d\.\d{3} \(Redis time\)/);
  await expect(outcome).toContainText("Waitingthird@vm-3");
  expect((await waiting).body.owner).toBe("third@vm-3");
  await expect(outcome).toContainText("Held bythird@vm-3");
  await assertAccessibleInThemes(page, "result");
  await expect(outcome.getByRole("link", { name: "View audit entry" })).toHaveAttribute(
    "href",
    /^\/audit\?action=force_release&key=/,
  );
  await outcome.getByRole("link", { name: "View event" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(page.locator("li[aria-current=true]")).toContainText("its node is gone");
});

test("a lock without TTL needs no reason, and the sheet explains why it does not expire", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("forever");
  await lockkeeper.redis.runCli("HSET", name, `${randomUUID()}:7`, "2");
  const sheet = await openSheet(page, name);
  await expect(sheet.getByRole("radio", { name: "Wait for expiry" })).toHaveAccessibleDescription(
    "Not available: the lock has no TTL and never expires.",
  );
  await expect(sheet).toContainText("IllegalMonitorStateException");
  await expect(sheet).toContainText("All 2 acquisitions by this holder are released");
  await expect(sheet.getByRole("radio", { checked: true })).toHaveCount(0);
  const choose = sheet.getByRole("button", { name: "Choose an action" });
  await expect(choose).toHaveAttribute("aria-disabled", "true");
  await expect(choose).toHaveAccessibleDescription("Choose an action above.");
  await sheet.getByLabel("Release now").check();
  await expect(sheet.getByLabel("Reason (optional)")).toBeVisible();
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});
