import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { assertAccessibleInThemes } from "./accessibility.ts";
import { expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;

async function openSheet(page: Page, key: string) {
  await page.goto(pathOf(key));
  await page.getByRole("button", { name: /^Free/ }).first().click();
  return page.getByRole("dialog");
}

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
  await expect(sheet.getByRole("region", { name: "What you are about to free" })).toContainText("first@vm-1");
  await expect(sheet.getByTestId("alive")).toContainText("Not known yet");
  await expect(sheet.getByRole("region", { name: "What happens then" })).toContainText(
    "Its next renew answers lost",
  );
  await expect(sheet.getByLabel("Let it lapse")).toBeFocused();

  await lockkeeper.callHold("release", `/locks/${encodeURIComponent(name)}`);
  await verb("acquire", "second@vm-2", { leaseMs: 600_000 });
  await expect(sheet.getByTestId("outcome")).toContainText("The hold changed while you looked.");
  await expect(sheet.getByTestId("outcome")).toContainText("second@vm-2");
  await expect(sheet.getByRole("radio")).toHaveCount(0);
  await expect(sheet.getByTestId("outcome")).toBeFocused();
  await assertAccessibleInThemes(page, "changed");
  await sheet.getByRole("button", { name: "Look at the new hold" }).click();
  await expect(sheet.getByLabel("Let it lapse")).toBeFocused();

  const waiting = verb("acquire", "third@vm-3", { waitMs: 55_000 });
  await expect(sheet).toContainText("third@vm-3 has waited longest");
  // Enter by itself sends nothing; what looks alive is not freed without a word why.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await expect(sheet.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await expect(sheet).toContainText("Say why: its holder looks alive.");
  expect(await lockkeeper.redis.runCli("HGETALL", name)).toMatch(/^[0-9a-f-]{36}:\d+\n1$/);
  await page.keyboard.type("its node is gone");
  await page.keyboard.press("Control+Enter");
  const outcome = sheet.getByTestId("outcome");
  await expect(outcome).toBeFocused();
  await expect(outcome).toContainText("The hold of second@vm-2 is gone.");
  await expect(outcome).toContainText(/When\d\d:\d\d:\d\d\.\d{3}, by Redis's clock/);
  await expect(outcome).toContainText("third@vm-3 waited");
  expect((await waiting).body.owner).toBe("third@vm-3");
  await expect(outcome).toContainText("Nowthird@vm-3");
  await assertAccessibleInThemes(page, "result");
  await expect(outcome.getByRole("link", { name: "Its entry in the audit" })).toHaveAttribute(
    "href",
    /^\/audit\?action=force_release&key=/,
  );
  await outcome.getByRole("link", { name: "Its event in the history" }).click();
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
  await expect(sheet).toContainText("Let it lapse is not offered: it has no TTL, so it never expires.");
  await expect(sheet).toContainText("IllegalMonitorStateException");
  await expect(sheet).toContainText("All 2 of its nested holds end at once");
  await expect(sheet.getByLabel("Release now")).toBeChecked();
  await expect(sheet.getByLabel("Reason (optional: it does not look alive)")).toBeVisible();
  await sheet.getByRole("button", { name: "Release now" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released.");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});
