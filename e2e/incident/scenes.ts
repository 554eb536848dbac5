import type { Locator, Page } from "@playwright/test";
import type { Stats } from "../../lib/contract/stats.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { createSampleStats } from "../sample-stats.ts";
import { SHARED_KEY, STUCK_KEY } from "./incident-workload.ts";

export type Viewpoint = "desk" | "phone" | "wide" | "chinese" | "chinese-phone";

export interface Scene {
  readonly name: string;
  /** Viewpoints of the scene in addition to the desktop. */
  readonly also?: readonly Exclude<Viewpoint, "desk">[];
  /** Opens the page and brings it into the state that the scene shows. */
  show(page: Page, redis: TestRedis): Promise<void>;
}

const lockPath = (key: string) => `/locks/${encodeURIComponent(key)}`;
const rowOf = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text }).first();

async function atLocks(page: Page, query = ""): Promise<void> {
  await page.goto(`/${query}`);
  await page.getByRole("row").nth(2).waitFor();
}

async function atStuck(page: Page): Promise<void> {
  await page.goto(lockPath(STUCK_KEY));
  await page.getByText("billing-worker").first().waitFor();
}

async function openSheet(page: Page): Promise<Locator> {
  await atStuck(page);
  await page
    .getByRole("button", { name: /^(Release…|释放…)$/ })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.waitFor();
  return sheet;
}

/**
 * Replaces the last hour of the overview with sample data, because a console that has just started has no statistics
 * for it.
 */
export async function mockStatsHistory(page: Page): Promise<void> {
  await page.route("**/api/v1/stats?**", async (route) => {
    const stats: Stats = await (await route.fetch()).json();
    const { series, top } = createSampleStats(stats);
    await route.fulfill({ json: { ...stats, series, top } });
  });
}

export const SCENES: readonly Scene[] = [
  { name: "locks", also: ["phone", "wide", "chinese", "chinese-phone"], show: (page) => atLocks(page) },
  {
    name: "locks-patterns",
    async show(page) {
      await atLocks(page);
      await page.getByRole("button", { name: "Overview options" }).click();
      await page.getByRole("menuitem", { name: "Show patterns" }).click();
      await page.getByRole("region", { name: "Evicted" }).waitFor();
    },
  },
  { name: "locks-attention", show: (page) => atLocks(page, "?q=is:needs_attention") },
  {
    name: "locks-nothing-found",
    async show(page) {
      await page.goto("/?q=key:lock:nowhere:*");
      await page.getByText("lock:nowhere").first().waitFor();
    },
  },
  {
    name: "locks-completion",
    async show(page) {
      await atLocks(page);
      await page.getByRole("combobox", { name: /Search locks|搜索/ }).fill("held>");
      await page.getByRole("listbox").waitFor();
    },
  },
  {
    name: "locks-selected",
    async show(page) {
      await atLocks(page, "?q=owner:checkout*");
      await page.getByRole("checkbox", { name: "Select all loaded rows" }).click();
    },
  },
  { name: "locks-nothing-held", show: async (page) => void (await page.goto("/?target=staging")) },
  { name: "locks-never-reached", show: async (page) => void (await page.goto("/?target=sandbox")) },
  {
    name: "palette",
    also: ["phone", "chinese"],
    async show(page) {
      await atLocks(page);
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "keys",
    async show(page) {
      await atLocks(page);
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "lock", also: ["phone", "wide", "chinese", "chinese-phone"], show: atStuck },
  ...["Extend lease…", "Note…"].map((button) => ({
    name: button === "Note…" ? "lock-note" : "lock-more-time",
    async show(page: Page) {
      await atStuck(page);
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog").waitFor();
    },
  })),
  { name: "lock-shared", show: async (page) => void (await page.goto(lockPath(SHARED_KEY))) },
  { name: "lock-not-held", show: async (page) => void (await page.goto(lockPath("lock:orders:1:settle"))) },
  {
    name: "sheet",
    also: ["phone", "chinese", "chinese-phone"],
    show: async (page) => void (await openSheet(page)),
  },
  {
    name: "bulk",
    async show(page) {
      await atLocks(page, "?q=owner:checkout*");
      await page.getByRole("checkbox", { name: "Select all loaded rows" }).click();
      await page.getByRole("button", { name: /^Release \d+…$/ }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "events", also: ["phone", "chinese"], show: async (page) => void (await page.goto("/events")) },
  {
    name: "waits",
    also: ["phone", "chinese"],
    async show(page) {
      await page.goto("/waits");
      await page.getByRole("region", { name: /^(Root blockers|阻塞源头)$/ }).waitFor();
    },
  },
  { name: "owners", also: ["phone", "chinese"], show: async (page) => void (await page.goto("/owners")) },
  { name: "targets", also: ["phone", "chinese"], show: async (page) => void (await page.goto("/targets")) },
  { name: "formats", also: ["chinese"], show: async (page) => void (await page.goto("/formats")) },
  {
    name: "formats-finder",
    async show(page) {
      await page.goto("/formats");
      await page.getByRole("button", { name: /^Find locks/ }).click();
      await page.getByTestId("finder").getByRole("listitem").first().waitFor();
    },
  },
  ...["keys", "operators", "sessions", "you"].map((part) => ({
    name: `settings-${part}`,
    show: async (page: Page) => void (await page.goto(`/settings/${part}`)),
  })),
  {
    name: "audit-entry",
    async show(page) {
      await page.goto("/audit");
      await page.getByRole("listitem").first().locator("summary").click();
    },
  },
  {
    name: "audit-when",
    async show(page) {
      await page.goto("/audit");
      await page.getByRole("button", { name: "Any time" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "audit", also: ["phone", "chinese"], show: async (page) => void (await page.goto("/audit")) },
  {
    name: "docs",
    also: ["phone"],
    async show(page) {
      await page.goto("/docs");
      await page.getByRole("article").first().waitFor();
      await page.getByRole("button", { name: "TypeScript", exact: true }).click();
      await page.mouse.move(0, 0);
    },
  },
  { name: "problems", also: ["phone"], show: async (page) => void (await page.goto("/problems")) },
  { name: "problem-held", also: ["phone"], show: async (page) => void (await page.goto("/problems/held")) },
  { name: "login", show: async (page) => void (await page.goto("/login")) },
  { name: "not-found", show: async (page) => void (await page.goto("/nowhere")) },
];

/** Scenes that change the stuck lock or stop Redis. They run last, in this order. */
export const DISRUPTIVE_SCENES: readonly Scene[] = [
  {
    name: "sheet-released",
    async show(page) {
      const sheet = await openSheet(page);
      await sheet.getByLabel("Release and reserve", { exact: false }).check();
      const reason = sheet.getByLabel("Reason");
      if (await reason.isVisible()) await reason.fill("Worker lost its node (INC-2217)");
      await sheet
        .getByRole("button", { name: /^Release/ })
        .last()
        .click();
      await sheet.getByTestId("outcome").waitFor();
    },
  },
  { name: "lock-reserved", show: async (page) => void (await page.goto(lockPath(STUCK_KEY))) },
  {
    name: "locks-stale",
    async show(page, redis) {
      await atLocks(page);
      await rowOf(page, "lock").waitFor();
      await redis.kill();
      await page.getByTestId("condition-banner").waitFor();
    },
  },
];
