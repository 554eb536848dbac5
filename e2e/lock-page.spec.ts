import type { HistoryEntry } from "../lib/contract/event.ts";
import { assertAccessibleInThemes, takeScreenshot, takeThemeScreenshots } from "./accessibility.ts";
import { type Console, expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;

async function makeStory(lockkeeper: Console, key: string) {
  const call = (verb: string, body: object) => lockkeeper.api(`${pathOf(key)}/${verb}`, body);
  await call("acquire", { owner: "ada", leaseMs: 60_000 });
  await lockkeeper.callHold("release", pathOf(key));
  await call("acquire", { owner: "bob", leaseMs: 100 });
  await expect.poll(() => lockkeeper.redis.runCli("EXISTS", key)).toBe("0");
  await call("acquire", { owner: "cid", leaseMs: 60_000 });
  const { body } = await lockkeeper.api(pathOf(key));
  await call("force-release", { expectedVersion: body.version, reason: "stuck since noon" });
  await call("acquire", { owner: "dot", leaseMs: 600_000 });
  const recorded = async () => (await lockkeeper.api(`${pathOf(key)}/history`)).body.items as HistoryEntry[];
  // Excludes gaps, because a busy machine may cause additional ones.
  await expect.poll(async () => (await recorded()).filter(({ type }) => type !== "gap").length).toBe(7);
}

test("the timeline of a lock has a lane per holder, is navigable by keyboard and describes each hold", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("told");
  await makeStory(lockkeeper, name);
  await page.goto(pathOf(name));
  const holds = page.getByRole("listbox", { name: "Holds, by holder" });
  await expect(holds.getByRole("option")).toHaveCount(4);
  await expect(holds.getByRole("group")).toHaveCount(4);
  const said = page.getByTestId("hold");
  await holds.focus();
  await page.keyboard.press("Home");
  await expect(said).toContainText(/^ada held it from .* Released\. Fencing token: \d+\.$/);
  await page.keyboard.press("ArrowRight");
  await expect(said).toContainText("Expired without a release");
  await page.keyboard.press("ArrowRight");
  await expect(said).toContainText("Force-released by");
  await expect(said).toContainText("Reason: “stuck since noon”.");
  await page.keyboard.press("ArrowUp");
  await expect(said).toContainText(/^dot has held it since/);
  await expect(page.getByRole("region", { name: "Recent events" })).toContainText("stuck since noon");
});

test("overlapping holds and gaps are drawn and named, and are accessible in both themes", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("overlap");
  await makeStory(lockkeeper, name);
  // A single Redis cannot reproduce the effects of a failover, so the test adds them to the response.
  await page.route("**/history*", async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { items: HistoryEntry[] };
    const oldest = answer.items.findLast(({ type }) => type === "acquired");
    if (oldest === undefined) return await route.fulfill({ response });
    const at = oldest.at - 2000;
    const event = (type: string, after: number, owner: string, fence: string) => ({
      ...{
        ...oldest,
        id: `${at + after}-9`,
        type,
        at: at + after,
        owner,
        fence,
        count: 0,
        observed: "inferred",
      },
    });
    const items = [
      ...answer.items,
      event("released", 1000, "eve", "12"),
      event("expired", 700, "fay \u202e<b>", "11"),
      event("acquired", 400, "eve", "12"),
      { id: `${at}-9`, type: "gap", target: oldest.target, at: at, from: at - 600, to: at },
      event("acquired", -900, "fay \u202e<b>", "11"),
    ];
    await route.fulfill({ response, json: { ...answer, items } });
  });
  await page.goto(pathOf(name));
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.locator("[data-overlap=wrong]")).toHaveCount(2);
  await expect(timeline.locator("[data-gap]").first()).toBeVisible();
  const named = timeline.getByRole("list", { name: "Problems and gaps" });
  await expect(named).toContainText("Two holders at the same time: fay");
  await expect(named).toContainText("Not observed from");
  await page.getByRole("listbox").focus();
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Show raw value" }).click();
  await expect(page.getByTestId("raw")).toContainText("hash, ");
  await takeThemeScreenshots(page, info, "lock-page", { fullPage: true });
  await timeline.screenshot({ path: info.outputPath("timeline.png") });
  await assertAccessibleInThemes(page, "lock page");
  await page.setViewportSize({ width: 360, height: 780 });
  await timeline.scrollIntoViewIfNeeded();
  await takeScreenshot(page, info, "phone");
});

test("a lock page links to the owner's other locks, releases them all, and shows the raw Redis data", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const acquire = (name: string, owner: string) =>
    lockkeeper.api(`${pathOf(key(name))}/acquire`, { owner, format: "token", leaseMs: 600_000 });
  const owner = `gone "at" ${key("owner")} <b>`;
  for (const name of ["here", "there", "also"]) await acquire(name, owner);
  await acquire("not", `${owner}!`);
  await page.setViewportSize({ width: 1280, height: 1300 });
  await page.goto(pathOf(key("here")));
  const others = page.getByRole("region", { name: "2 other locks held by this owner" });
  await expect(others.getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "Show raw value" }).click();
  const raw = page.getByTestId("raw");
  await expect(raw).toContainText(/^string, TTL 9 m \d+ s/);
  await expect(raw.getByRole("cell")).toHaveText(/^[0-9a-f-]{36}:\d+$/);
  await takeThemeScreenshots(page, info, "owner-and-raw", { fullPage: true });
  await assertAccessibleInThemes(page, "other locks and raw view");
  await others.getByRole("button", { name: "Release all…" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("region", { name: "Will be released: 3" })).toBeVisible();
  await sheet.getByRole("textbox", { name: "Reason" }).fill("its node is gone");
  await sheet.getByRole("button", { name: "Release 3 locks" }).click();
  await expect(sheet.getByTestId("bulk-outcome")).toContainText("All released.");
  await sheet.getByRole("button", { name: "Close" }).click();
  await expect(page.getByTestId("free")).toBeVisible();
  // The button that opened the dialog was removed along with the locks, so the heading receives the focus.
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(raw).toContainText("The key does not exist.");
  expect(await lockkeeper.redis.runCli("EXISTS", key("not"))).toBe("1");
});

test("a lock page states the holder, the waiters in order, the typical hold time and the runbook", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = `${key("queue")}-has-runbook`;
  const call = (verb: string, body: object) => lockkeeper.api(`${pathOf(name)}/${verb}`, body);
  for (let hold = 0; hold < 4; hold++) {
    await call("acquire", { owner: "ada", leaseMs: 60_000 });
    await lockkeeper.callHold("release", pathOf(name));
  }
  await call("acquire", { owner: "ada", leaseMs: 600_000 });
  const waits: Promise<unknown>[] = [];
  for (const [at, owner] of ["bob", "cy"].entries()) {
    waits.push(call("acquire", { owner, leaseMs: 60_000, waitMs: 55_000 }));
    const named = async () => (await lockkeeper.api(`${pathOf(name)}/waiters`)).body.named;
    await expect.poll(named).toBe(at + 1);
  }
  await page.setViewportSize({ width: 1440, height: 1600 });
  await page.goto(pathOf(name));
  const state = page.getByTestId("state");
  await expect(state).toContainText(/^Held by ada\./);
  await expect(state).toContainText("At least 2 clients are waiting.");
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Next holder: bob");
  const waiting = page.getByRole("region", { name: /^Waiting: ≥ 2/ });
  await expect(waiting.getByRole("listitem").first()).toContainText(/^next.*bob/);
  await expect(waiting.getByRole("listitem").nth(1)).toContainText(/^2\..*cy/);
  const plot = page.getByRole("img", { name: /^Held: Median/ });
  await expect(plot).toHaveAccessibleName(/× the typical duration/);
  const runbook = page.getByRole("link", { name: /Runbook/ });
  await expect(runbook).toHaveAttribute("href", `https://wiki.example/locks?key=${encodeURIComponent(name)}`);
  await expect(runbook).toHaveAttribute("rel", "noopener noreferrer");
  await expect(runbook).toHaveAttribute("target", "_blank");
  await takeThemeScreenshots(page, info, "waited-for", { fullPage: true });
  await assertAccessibleInThemes(page, "a lock that is waited for");
  await page.keyboard.press("r");
  await expect(page.getByRole("dialog").getByRole("link", { name: /Runbook/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await lockkeeper.callHold("release", pathOf(name));
  await waits[0];
  await expect(state).toContainText("Held by bob.");
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Next holder: cy");
  await lockkeeper.callHold("release", pathOf(name));
  await Promise.all(waits);
});

test("the page of a key that was never locked has no history, and the back link restores the search", async ({
  page,
  lockkeeper,
  key,
}) => {
  await page.goto(pathOf(key("never")));
  await expect(page.getByTestId("free")).toContainText("no history is recorded");
  const name = key("found");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "ada", leaseMs: 60_000 });
  await page.goto(`/?q=${encodeURIComponent(name)}`);
  await expect(page.getByRole("grid").getByRole("row")).toHaveCount(2);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("state")).toContainText("Held by ada");
  await page.getByRole("link", { name: "All locks" }).click();
  await expect(page.getByRole("grid").getByRole("row")).toHaveCount(2);
  expect(new URL(page.url()).searchParams.get("q")).toBe(name);
});

test("facts, timeline and events of a lock are visible at once, and each number stands once", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("wide");
  await lockkeeper.api(`${pathOf(name)}/acquire`, { owner: "ada", leaseMs: 600_000 });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(pathOf(name));
  const region = (title: string) => page.getByRole("region", { name: title });
  for (const title of ["Now", "Timeline", "Recent events"])
    await expect(region(title)).toBeInViewport({ ratio: 0.9 });
  const facts = region("Now");
  await expect(facts.getByText("Held for")).toHaveCount(1);
  await expect(page.getByTestId("state")).toHaveText(/^Held by ada\./);
  const { body } = await lockkeeper.api(pathOf(name));
  const [holder] = body.holders as { fence: string }[];
  expect(body.version).toContain(holder?.fence);
  await expect(facts.getByText(holder?.fence ?? "")).toHaveCount(1);
});

test("the lock page answers who held the lock at a time, by keyboard, and the answer is in the URL", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("past");
  await makeStory(lockkeeper, name);
  const { items } = (await lockkeeper.api(`${pathOf(name)}/history`)).body as { items: HistoryEntry[] };
  const during = items.find((entry) => entry.type === "acquired" && entry.owner === "bob");
  await page.goto(`${pathOf(name)}?at=${during?.at}`);
  const held = page.getByTestId("held-at");
  await expect(held).toContainText(/At 20\d\d-.*bob held it from .*Expired/s);
  const holds = page.getByRole("listbox", { name: "Holds, by holder" });
  // Holds that began after the selected time are not shown.
  await expect(holds.getByRole("group")).toHaveCount(2);
  await assertAccessibleInThemes(page, "a lock at a time in the past");
  await takeThemeScreenshots(page, info, "held-at");
  const field = page.getByLabel("Holder at");
  const now = page.getByRole("button", { name: "Back to now" });
  await now.focus();
  await page.keyboard.press("Enter");
  await expect(holds.getByRole("group")).toHaveCount(4);
  await expect(page).not.toHaveURL(/[?&]at=/);
  await expect(now).toHaveCount(0);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("");
  // Screen readers announce the next text only if the element exists before.
  await expect(held).toBeEmpty();
  await page.keyboard.type("tomorrow");
  await page.keyboard.press("Enter");
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByRole("alert").filter({ hasText: "Enter a time" })).toBeVisible();
  await field.fill("1 d");
  await page.keyboard.press("Enter");
  await expect(held).toContainText(/The lock was not held|No holder is recorded|no longer stored/);
  await expect(page).toHaveURL(/[?&]at=\d+/);
  await expect(field).toBeFocused();
  // The form shows the time in the URL.
  await page.goBack();
  await expect(page).not.toHaveURL(/[?&]at=/);
  await expect(field).toHaveValue("");
  await expect(holds.getByRole("group")).toHaveCount(4);
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`[?&]at=${during?.at}`));
  await expect(field).toHaveValue(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await expect(held).toContainText("bob held it from");
});

test("Back to a lock page shows the events that happened while another page was open", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("absence");
  const acquire = (owner: string) => lockkeeper.api(`${pathOf(name)}/acquire`, { owner, leaseMs: 600_000 });
  const recorded = async () => (await lockkeeper.api(`${pathOf(name)}/history`)).body.items as HistoryEntry[];
  await acquire("ada");
  await page.goto(pathOf(name));
  const holds = page.getByRole("listbox", { name: "Holds, by holder" });
  await expect(holds.getByRole("option")).toHaveCount(1);
  // Uses a link, because loading a page clears the cache.
  await page.getByRole("navigation").getByRole("link", { name: "Owners" }).click();
  await expect(page.getByRole("heading", { name: "Owners" })).toBeVisible();
  await lockkeeper.callHold("release", pathOf(name));
  await acquire("bob");
  await expect.poll(async () => (await recorded()).filter(({ type }) => type !== "gap").length).toBe(3);
  await page.goBack();
  await expect(page.getByTestId("state")).toContainText("Held by bob.");
  await expect(holds.getByRole("option")).toHaveCount(2);
  await holds.focus();
  await page.keyboard.press("Home");
  await expect(page.getByTestId("hold")).toContainText(/^ada held it from .* Released\./);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("hold")).toContainText(/^bob has held it since/);
  const events = page.getByRole("region", { name: "Recent events" });
  await expect(events.getByRole("listitem").filter({ hasText: "released" })).toHaveCount(1);
  await expect(events.getByRole("listitem").filter({ hasText: "bob" })).toHaveCount(1);
});

test("the bars of the timeline show how each hold ended, and the legend names what is drawn", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("ends");
  await makeStory(lockkeeper, name);
  await page.goto(pathOf(name));
  const timeline = page.getByRole("region", { name: "Timeline" });
  for (const end of ["released", "expired", "force_released", "open"])
    await expect(timeline.locator(`[data-end=${end}]`)).toHaveCount(1);
  const colors = await timeline
    .locator("[data-end]")
    .evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).backgroundColor));
  expect(new Set(colors).size).toBe(4);
  await expect(timeline).toContainText("held now");
  await expect(timeline).not.toContainText("overdue");
});

test("a deadline or a constant is an unknown owner, and locks that share one have no owner in common", async ({
  page,
  lockkeeper,
  key,
}) => {
  const deadline = Math.floor(Date.now() / 1000) + 600;
  await lockkeeper.redis.runCli("SET", key("deadline"), String(deadline), "EX", "600");
  await lockkeeper.redis.runCli(
    "SET",
    key("random"),
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "EX",
    "600",
  );
  await page.goto(pathOf(key("deadline")));
  const facts = page.getByRole("region", { name: "Now" });
  await expect(page.getByTestId("state")).toContainText(
    /^Held by unknown owner \(deadline, ends .*\d\d:\d\d:\d\d\)/,
  );
  await expect(facts.getByText(String(deadline), { exact: true })).toHaveCount(1);
  await page.goto(`/owners?q=${encodeURIComponent(`key:${key("")}*`)}`);
  const row = page.getByRole("row").filter({ hasText: "unknown owner (deadline" });
  await expect(row.getByRole("button")).toHaveAttribute("aria-disabled", "true");
  await page.goto(pathOf(key("random")));
  await expect(page.getByTestId("state")).toContainText("Held by 9f86d081…4f1b.");
  await expect(facts).toContainText("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b");
});
