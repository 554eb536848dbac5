// npm run screenshots: pictures of a console with a plausible morning in it, for the README and for looking at.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "@playwright/test";
import type { Redis } from "ioredis";
import { type Console, logIn, startConsole } from "../e2e/console.ts";
import settings from "../playwright.config.ts";

const OUT = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const SIZE = { width: 1440, height: 900 };
const SETTLE_MS = 1200;

interface Sample {
  key: string;
  owner: string;
  leaseMs: number;
  times?: number;
  record?: Record<string, unknown>;
  format?: "token" | "timestamp";
}

const OURS: readonly Sample[] = [
  {
    key: "lock:orders:eu:settle",
    owner: "billing-worker@ip-10-4-2-17:81",
    leaseMs: 90_000,
    times: 2,
    record: {
      service: "billing-worker",
      host: "ip-10-4-2-17",
      pid: 81,
      purpose: "settle EU orders of the night",
    },
  },
  at("lock:orders:42", "checkout", "pod-7", 311, 120_000),
  at("lock:orders:41", "checkout", "pod-2", 17, 60_000),
  at("lock:orders:us:settle", "billing-worker", "ip-10-4-2-18", 64, 150_000),
  at("lock:payments:iban:DE89370400440532013000", "ledger", "ledger-0", 1, 45_000),
  at("lock:payments:sepa:batch", "batch-eu", "cron-3", 2210, 600_000),
  at("lock:payments:refund:77120", "refund", "pod-9", 88, 75_000),
  at("lock:stock:9", "fulfil", "pod-4", 9, 90_000),
  at("lock:stock:10", "fulfil", "pod-4", 12, 100_000),
  { ...at("lock:mail:digest:weekly", "mailer", "vm-3", 4021, 300_000), format: "token" },
  { ...at("lock:report:daily", "cron", "vm-3", 77, 110_000), format: "timestamp" },
];

function at(key: string, service: string, host: string, pid: number, leaseMs: number): Sample {
  return { key, owner: `${service}@${host}:${pid}`, leaseMs, record: { service, host, pid } };
}

/** Hashes as Redisson writes them, taken without Lockkeeper. */
const REDISSON = [
  { key: "lock:orders:export", owner: "8743c9c0-0795-4907-87fd-6c719a6b4586:42", leaseMs: 80_000, count: 1 },
  { key: "lock:orders:reindex", owner: "5f0c1a2b-77d0-4f6e-9d43-0b1c2d3ee71a:7", leaseMs: null, count: 3 },
  { key: "lock:import:catalog", owner: "8743c9c0-0795-4907-87fd-6c719a6b4586:51", leaseMs: 65_000, count: 1 },
  {
    key: "inventory:lock:warehouse-2",
    owner: "c2b0e6de-3c11-4b0f-8a77-19f3a5d0c944:31",
    leaseMs: 85_000,
    count: 1,
  },
];

async function acquire(lockkeeper: Console, { key, times = 1, ...body }: Sample): Promise<void> {
  const path = `/locks/${encodeURIComponent(key)}/acquire`;
  for (let i = 0; i < times; i++) await lockkeeper.api(path, body);
}

async function fill(lockkeeper: Console, redis: Redis, page: Page): Promise<void> {
  for (const { key, owner, leaseMs, count } of REDISSON) {
    await redis.hset(key, owner, count);
    if (leaseMs !== null) await redis.pexpire(key, leaseMs);
  }
  for (const sample of OURS) {
    await acquire(lockkeeper, sample);
    await pause(120);
  }
  await acquire(lockkeeper, at("lock:orders:40", "checkout", "pod-2", 17, 60_000));
  await redis.hset("lock:import:eu", "8743c9c0-0795-4907-87fd-6c719a6b4586:12", 1);
  await redis.pexpire("lock:import:eu", 900);
  await pause(1500);
  await lockkeeper.api("/locks/lock:orders:40/release", { owner: "checkout@pod-2:17" });
  await freeByForce(page, "lock:stock:9", "worker lost its node");
  await acquire(lockkeeper, at("lock:stock:9", "fulfil", "pod-6", 3, 95_000));
  await freeByForce(page, "lock:stock:10", "counts by hand first", 60_000);
}

/** Who works with it, and with what. */
async function fillSettings(lockkeeper: Console): Promise<void> {
  await lockkeeper.api("/operators", {
    name: "jo",
    roles: { "*": "viewer", orders: "operator" },
    password: "several words are best",
  });
  await lockkeeper.api("/operators", { name: "sam", roles: { "*": "viewer" } });
  const expiresAt = Date.now() + 90 * 86_400_000;
  await lockkeeper.api("/keys", {
    name: "checkout",
    verbs: ["read", "lock"],
    keys: ["lock:orders:*"],
    expiresAt,
  });
  await lockkeeper.api("/keys", { name: "on-call-bot", verbs: ["read", "force"], expiresAt });
}

/** From the page, so that the event names the operator. */
async function freeByForce(page: Page, key: string, reason: string, holdOffMs?: number): Promise<void> {
  await page.evaluate(
    async ([path, why, offMs]) => {
      const { version } = await (await fetch(path)).json();
      const body = JSON.stringify({ expect: version, reason: why, holdOffMs: offMs });
      const headers = { "content-type": "application/json" };
      await fetch(`${path}/force-release`, { method: "POST", headers, body });
    },
    [`/api/v1/locks/${encodeURIComponent(key)}`, reason, holdOffMs] as const,
  );
}

async function shoot(page: Page, name: string): Promise<void> {
  await pause(SETTLE_MS);
  await page.screenshot({ path: `${OUT}${name}.png` });
}

async function shootAll(page: Page, theme: string): Promise<void> {
  const key = "lock:orders:eu:settle";
  await page.goto("/?sort=-held");
  await page.getByRole("row", { name: "eu:settle" }).first().waitFor();
  await shoot(page, `locks-${theme}`);
  await page.goto("/");
  await page.getByRole("row").filter({ hasText: "orders:eu:settle" }).click();
  await page.keyboard.press("r");
  await page.getByRole("dialog").getByLabel("Release now").check();
  await page.getByLabel("Reason").fill("Worker lost its node (INC-2217)");
  await shoot(page, `sheet-${theme}`);
  await page.goto(`/locks/${encodeURIComponent(key)}`);
  await shoot(page, `lock-${theme}`);
  await page.goto("/events");
  await shoot(page, `events-${theme}`);
  await page.goto("/?q=owner:checkout*");
  await page.getByRole("checkbox", { name: "Tick all rows" }).click();
  await page.getByRole("button", { name: /^Free \d+…$/ }).click();
  await page.getByLabel("Reason").fill("The checkout was rolled back (INC-2218)");
  await shoot(page, `bulk-${theme}`);
  await page.goto("/owners");
  await shoot(page, `owners-${theme}`);
  await page.goto("/audit");
  await page.getByRole("listitem").filter({ hasText: "worker lost its node" }).locator("summary").click();
  await shoot(page, `audit-${theme}`);
  for (const part of ["keys", "operators", "sessions"]) {
    await page.goto(`/settings/${part}`);
    await shoot(page, `settings-${part}-${theme}`);
  }
  await page.goto("/docs");
  await page.getByRole("article").first().waitFor();
  await page.getByRole("button", { name: "TypeScript", exact: true }).click();
  await shoot(page, `docs-${theme}`);
}

async function themed(browser: Browser, lockkeeper: Console, theme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({
    baseURL: lockkeeper.url,
    viewport: SIZE,
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const page = await logIn(context, lockkeeper, "mei");
  await fill(lockkeeper, lockkeeper.redis.client(), page);
  await fillSettings(lockkeeper);
  await shootAll(page, theme);
  await context.close();
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

mkdirSync(OUT, { recursive: true });
const browser = await chromium.launch(settings.use?.launchOptions ?? {});
for (const theme of ["light", "dark"] as const) {
  // A console of its own for each, so that both show the same moment of the morning.
  const lockkeeper = await startConsole({ LOCKKEEPER_TARGET: "orders" });
  try {
    await themed(browser, lockkeeper, theme);
  } finally {
    await lockkeeper.stop();
  }
}
await browser.close();
