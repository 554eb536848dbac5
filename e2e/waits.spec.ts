import { LANGUAGE_COOKIE } from "../lib/i18n/language.ts";
import { waits as chinese } from "../lib/i18n/zh/waits.tsx";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { type Console, expect, logIn, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const LEASE_MS = 600_000;
const WAIT_MS = 55_000;
/** A hostile owner string. It must not be rendered as HTML, reorder the text beside it or widen the page. */
const HOSTILE = `<img src=x onerror=alert(1)> \u05e2\u05d1\u05e8\u05d9\u05ea ${"long-".repeat(30)}`;

interface TestHold {
  readonly key: string;
  readonly holdId: string;
}

async function acquire({ api }: Console, key: string, owner: string): Promise<TestHold> {
  const { status, body } = await api(`${pathOf(key)}/acquire`, { owner, leaseMs: LEASE_MS });
  expect(status).toBe(201);
  return { key, holdId: String(body.holdId) };
}

/**
 * Starts to wait for a lock, and leaves the request open.
 *
 * @param holding holds of the waiting client
 */
function waitFor({ api }: Console, key: string, owner: string, holding: readonly TestHold[] = []): void {
  const body = { owner, leaseMs: LEASE_MS, waitMs: WAIT_MS, holding: holding.map(({ holdId }) => holdId) };
  void api(`${pathOf(key)}/acquire`, body).catch(() => undefined);
}

/** Creates a deadlock in which each owner waits for the lock of the next owner. */
async function makeRing(lockkeeper: Console, keys: readonly string[], owners: readonly string[]) {
  const holds = await Promise.all(keys.map((key, at) => acquire(lockkeeper, key, owners[at] ?? key)));
  holds.forEach((hold, at) => {
    waitFor(lockkeeper, keys[(at + 1) % keys.length] ?? "", owners[at] ?? hold.key, [hold]);
  });
  return holds;
}

test("a deadlock is shown first, and disappears when one of its locks is released from the page", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const keys = ["ledger", "acct:7", "acct:9"].map(key);
  const [ledger = ""] = keys;
  await makeRing(lockkeeper, keys, ["transfer@pod-1", "audit@pod-4", HOSTILE]);
  waitFor(lockkeeper, ledger, "report@pod-2");
  await page.goto(`/waits?key=${encodeURIComponent(ledger)}`);
  const deadlock = page.getByRole("region", { name: /^Deadlock: 3 clients/ });
  await expect(deadlock).toBeVisible();
  await expect(page.getByRole("navigation").getByRole("link", { name: /Waits.*\d deadlock/ })).toBeVisible();
  await expect(
    deadlock.getByRole("list", { name: "Clients in the cycle" }).getByRole("listitem"),
  ).toHaveCount(3);
  await expect(deadlock.getByRole("list", { name: "Waiting behind the deadlock" })).toContainText(
    "report@pod-2",
  );
  await expect(deadlock).toContainText("It is resolved when one of these locks is released or a wait ends.");
  await expect(deadlock.locator("img")).toHaveCount(0);
  await assertAccessibleInThemes(page, "deadlock");
  await takeThemeScreenshots(page, info, "deadlock", { fullPage: true });

  const button = deadlock.getByRole("button", { name: `Release ${ledger}, held by transfer@pod-1` });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("This lock is part of a deadlock or behind one.");
  await takeThemeScreenshots(page, info, "deadlock-release");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();
  await button.click();
  await dialog.getByRole("radio", { name: "Release now" }).check();
  await dialog.getByRole("textbox", { name: /^Reason/ }).fill("deadlock");
  await dialog.getByRole("button", { name: "Release lock" }).click();
  await expect(dialog.getByTestId("outcome")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(deadlock).toHaveCount(0);
});

test("root blockers are listed with everyone behind them, and the lock page and the dialog name them", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const [root, inner] = [key("root"), key("inner")];
  await acquire(lockkeeper, root, "billing-worker");
  const nested = await acquire(lockkeeper, inner, "checkout");
  waitFor(lockkeeper, root, "checkout", [nested]);
  waitFor(lockkeeper, inner, "cart");
  for (let at = 0; at < 98; at++) waitFor(lockkeeper, root, `refund-${at}`);
  await page.goto(pathOf(inner));
  const now = page.getByRole("region", { name: "Now" });
  await expect(now.getByText("Root blocker")).toBeVisible();
  await expect(now).toContainText("The holder of this lock waits behind it.");
  await expect(now).toContainText("1 client, directly or through other locks.");
  await takeThemeScreenshots(page, info, "lock-page", { fullPage: true });
  await page.keyboard.press("r");
  await expect(page.getByRole("dialog")).toContainText("held by billing-worker");
  await takeThemeScreenshots(page, info, "dialog");
  await page.keyboard.press("Escape");

  await now.getByRole("link", { name: "Show waits" }).click();
  await expect(page).toHaveURL(/\/waits\?key=/);
  const roots = page.getByRole("region", { name: "Root blockers" });
  await expect(roots).toContainText("billing-worker");
  await expect(roots).toContainText("100 waiting");
  const tree = roots.getByRole("list", { name: "100 waiting" });
  const behindCheckout = tree.getByRole("listitem").filter({ hasText: "checkout" }).getByRole("list");
  await expect(behindCheckout.getByText("cart")).toBeVisible();
  await expect(tree.getByText("refund-97")).toHaveCount(0);
  await roots.getByRole("button", { name: "Show all 100" }).click();
  await expect(tree.getByText("refund-97")).toBeVisible();
  await assertAccessibleInThemes(page, "root blockers");
  await takeThemeScreenshots(page, info, "roots", { fullPage: true });
  await page.getByRole("button", { name: "Show all waits" }).click();
  await expect(page).toHaveURL(/\/waits$/);
  await expect(roots.getByRole("link").filter({ hasText: root })).toBeVisible();
});

test("the release dialog of a root blocker shows the current hold, not the one of an earlier visit", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("handed-over");
  const { holdId } = await acquire(lockkeeper, name, "first-holder");
  for (const at of [1, 2]) waitFor(lockkeeper, name, `next-${at}`);
  await page.goto(pathOf(name));
  await expect(page.getByTestId("state")).toContainText("Held by first-holder.");
  // Uses a link, because loading a page clears the cache.
  await page.getByRole("region", { name: "Now" }).getByRole("link", { name: "Show waits" }).click();
  const roots = page.getByRole("region", { name: "Root blockers" });
  await expect(roots).toContainText("2 waiting");
  await lockkeeper.api(`/holds/${holdId}/release`, {});
  await roots.getByRole("button", { name: new RegExp(`^Release ${name}, held by next-`) }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(/next-[12]/);
  await expect(dialog.getByRole("radio", { name: "Release now" })).toBeVisible();
  await expect(dialog).not.toContainText("first-holder");
});

test("on a phone, in Chinese, a deadlock fits the screen", async ({ browser, lockkeeper, key }, info) => {
  const keys = ["a", "b"].map((name) => key(`${name}:${"long:".repeat(12)}`));
  const [first = ""] = keys;
  await makeRing(lockkeeper, keys, [HOSTILE, "audit@pod-4"]);
  const viewport = { width: 390, height: 844 };
  const context = await browser.newContext({ baseURL: lockkeeper.url, viewport, hasTouch: true });
  await context.addCookies([{ name: LANGUAGE_COOKIE, value: "zh", url: lockkeeper.url }]);
  const page = await logIn(context, lockkeeper, "mei", "operator");
  await page.goto(`/waits?key=${encodeURIComponent(first)}`);
  const deadlock = page.getByRole("region", { name: /^死锁：2 个客户端/ });
  await expect(deadlock).toBeVisible();
  await expect(deadlock.getByRole("list", { name: chinese.cycle }).getByRole("listitem")).toHaveCount(2);
  const boxes = deadlock.getByRole("listitem").or(deadlock.getByRole("button"));
  for (const box of await boxes.all()) {
    const { x, width } = (await box.boundingBox()) ?? { x: 0, width: Number.POSITIVE_INFINITY };
    expect(x + width).toBeLessThan(viewport.width);
  }
  await assertAccessibleInThemes(page, "deadlock, on a phone");
  await takeThemeScreenshots(page, info, "phone", { fullPage: true });
  await context.close();
});

test("without waiters, the page says which clients are not visible", async ({ page, key }) => {
  await page.goto(`/waits?key=${encodeURIComponent(key("idle"))}`);
  await expect(page.getByRole("heading", { name: "No visible waiters" })).toBeVisible();
  await expect(page.getByText("Clients that poll are not visible.")).toBeVisible();
});
