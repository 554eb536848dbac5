import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium, type Page } from "@playwright/test";
import { createLoginToken } from "../../support/test-browser.ts";
import { ROOT_KEY } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import { assert, expect } from "../figures.ts";
import { Skip } from "../skip.ts";
import { type InstancePair, SKIPPED_AFTER_FAILURE_MS } from "./instance-pair.ts";

const VISIBLE_MS = 20_000;
const PATTERN = "lock:survive:*";

/**
 * Logs in once with a browser and uses the console while each instance is killed in turn.
 *
 * @throws Skip if no browser is available
 */
export async function proveSession(pair: InstancePair): Promise<void> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
  const close = addCleanUp(() => browser.close());
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const refused: string[] = [];
    const shown: string[] = [];
    await page.goto(`${pair.url}/login#${await createLoginToken(pair, "mei", { "*": "admin" })}`);
    await page.waitForURL((url) => !url.pathname.endsWith("/login"));
    page.on("response", (response) => {
      if (response.status() === 401) refused.push(response.url());
    });
    page.on("framenavigated", (frame) => {
      if (frame.url().includes("/login")) shown.push(frame.url());
    });
    await page.goto(`${pair.url}/?sort=key&q=${encodeURIComponent(`key:${PATTERN}`)}`);
    await workWithLocks(pair, page, "both");
    for (const which of [0, 1] as const) {
      pair.kill(which);
      await workWithLocks(pair, page, `without-${which}`);
      await pair.start(which);
      await sleep(SKIPPED_AFTER_FAILURE_MS);
    }
    expect("responses with 401, and login pages", [refused, shown], [[], []]);
  } finally {
    await close();
  }
}

/** Checks that a lock appears in the open table and disappears without a reload, and force-releases another lock. */
async function workWithLocks(pair: InstancePair, page: Page, name: string): Promise<void> {
  const address = page.url();
  const live = await acquire(pair, `lock:survive:${name}-live`);
  const row = page.getByRole("row").filter({ hasText: `${name}-live` });
  await row.waitFor({ timeout: VISIBLE_MS });
  await call(pair, `/holds/${live}/release`, {});
  await row.waitFor({ state: "detached", timeout: VISIBLE_MS });
  expect("the URL of the view", page.url(), address);
  const key = `lock:survive:${name}-stuck`;
  await acquire(pair, key);
  await page
    .getByRole("row")
    .filter({ hasText: `${name}-stuck` })
    .waitFor({ timeout: VISIBLE_MS });
  await page.goto(`${pair.url}/locks/${encodeURIComponent(key)}`);
  await page
    .getByRole("button", { name: /^Release/ })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  const reason = sheet.getByRole("textbox", { name: "Reason" });
  await reason.fill("its instance was killed");
  await reason.press("Control+Enter");
  await sheet.getByTestId("outcome").waitFor({ timeout: VISIBLE_MS });
  expect("the lock after its force-release", await pair.redis.createClient().exists(key), 0);
  await page.goto(address);
}

async function acquire(pair: InstancePair, key: string): Promise<string> {
  const { holdId } = await call(pair, `/locks/${encodeURIComponent(key)}/acquire`, {
    owner: "job@vm-1",
    leaseMs: 600_000,
  });
  return holdId;
}

async function call({ url }: InstancePair, path: string, body: object): Promise<{ holdId: string }> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ROOT_KEY}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  assert(response.ok, () => `${path} was refused: ${response.status}`);
  return (await response.json()) as { holdId: string };
}

function findChromium(): string {
  const known = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", chromium.executablePath()];
  const found = known.find((path) => path !== undefined && path !== "" && existsSync(path));
  if (found === undefined) throw new Skip("no Chromium on this machine: set CHROMIUM_PATH");
  return found;
}
