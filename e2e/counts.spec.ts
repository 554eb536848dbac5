import type { Page } from "@playwright/test";
import { expect, logIn, startConsole, test } from "./console.ts";

const CHURN_KEYS = 40;

/** Acquires and releases locks with and without a TTL until the returned function is called. */
function churn(redis: {
  hset(key: string, field: string, value: string): Promise<number>;
  del(key: string): Promise<number>;
  pexpire(key: string, ms: number): Promise<number>;
}) {
  let isOver = false;
  const owner = "8743c9c0-0795-4907-87fd-6c719a6b4586:42";
  const run = async () => {
    for (let round = 0; !isOver; round++) {
      const key = `lock:${round % 2 === 0 ? "even" : "odd"}:${(round * 7) % CHURN_KEYS}`;
      if (await redis.del(key)) continue;
      await redis.hset(key, owner, "1");
      if (round % 3 !== 0) await redis.pexpire(key, 60_000);
    }
  };
  const done = run();
  return async () => {
    isOver = true;
    await done;
  };
}

interface Sample {
  /** The number that each element shows, by the name of the element. All numbers must be the same. */
  held: Record<string, number>;
  needsAttention: Record<string, number>;
}

/** Reads the numbers of all elements in each of the next `frames` animation frames. */
function readFrames(page: Page, frames: number): Promise<Sample[]> {
  return page.evaluate(async (count) => {
    const toNumber = (text: string | null | undefined) =>
      Number(/[\d,]+(?=\D*$)/.exec(text ?? "")?.[0].replaceAll(",", ""));
    const textOf = (selector: string) => document.querySelector(selector)?.textContent;
    const tab = (name: string) =>
      [...document.querySelectorAll("button[aria-pressed]")].find((button) =>
        button.textContent?.startsWith(name),
      )?.textContent;
    const branches = () => [...document.querySelectorAll("[role=treeitem]")];
    const branch = (level: string, pattern: RegExp) =>
      branches()
        .filter((item) => item.getAttribute("aria-level") === level)
        .reduce(
          (sum, item) =>
            sum + Number(pattern.exec(item.getAttribute("aria-label") ?? "")?.[1]?.replaceAll(",", "") ?? 0),
          0,
        );
    const samples = [];
    for (let frame = 0; frame < count; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const held = {
        navigation: toNumber(textOf("nav a[aria-current=page]")),
        tile: toNumber(textOf("[data-measure=held] button > span")),
        tab: toNumber(tab("All")),
        footer: toNumber(textOf("[data-testid=position]")),
        tree: branch("1", /, ([\d,]+) held/),
        branches: branch("2", /, ([\d,]+) held/),
      };
      const needsAttention = {
        tile: toNumber(textOf("[data-measure=needsAttention] button > span")),
        tab: toNumber(tab("Needs attention")),
        noTtl: toNumber(tab("No TTL")),
        tree: branch("1", /([\d,]+) needs? attention/),
        branches: branch("2", /([\d,]+) needs? attention/),
      };
      samples.push({ held, needsAttention });
    }
    return samples;
  }, frames);
}

test("navigation, tile, tab, tree and footer show one number for one fact in every frame", async ({
  browser,
}) => {
  const lockkeeper = await startConsole();
  const redis = lockkeeper.redis.createClient();
  await redis.hset("lock:even:first", "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await redis.hset("lock:odd:first", "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  const stop = churn(redis);
  try {
    const context = await browser.newContext({
      baseURL: lockkeeper.url,
      viewport: { width: 1700, height: 900 },
    });
    const page = await logIn(context, lockkeeper);
    await expect(page.getByRole("treeitem", { name: /^lock:odd:/ })).toBeVisible();
    await expect(page.getByTestId("position")).toBeVisible();
    await expect(page.locator("[data-measure=held] button")).toBeVisible();
    // A tab has no number until its locks have been counted.
    await expect(page.getByRole("button", { name: /^Needs attention\s*\d/ })).toBeVisible();
    // The first counts of the tree come from a separate request. Later, the tree is counted together with the other
    // elements.
    await expect(async () => {
      for (const { held } of await readFrames(page, 1)) expect(new Set(Object.values(held)).size).toBe(1);
    }).toPass();
    const samples: Sample[] = [];
    const isSeen = () => new Set(samples.map(({ held }) => held.footer)).size >= 6;
    await expect(async () => {
      samples.push(...(await readFrames(page, 30)));
      expect(isSeen()).toBe(true);
    }).toPass();
    for (const { held, needsAttention } of samples) {
      expect(new Set(Object.values(held)).size, JSON.stringify(held)).toBe(1);
      expect(new Set(Object.values(needsAttention)).size, JSON.stringify(needsAttention)).toBe(1);
    }
    await context.close();
  } finally {
    await stop();
    redis.disconnect();
    await lockkeeper.stop();
  }
});

test("with a search every tab keeps its count, which is of the search", async ({ page, lockkeeper, key }) => {
  const acquire = (name: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(key(name))}/acquire`, { owner: "ada", leaseMs: 600_000 });
  for (const name of ["counted:1", "counted:2", "other"]) await acquire(name);
  await lockkeeper.redis.runCli("HSET", key("counted:3"), "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await page.goto(`/?q=${encodeURIComponent(`key:${key("counted:")}*`)}`);
  const tab = (name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) });
  await expect(tab("All")).toHaveText(/3$/);
  await expect(tab("Needs attention")).toHaveText(/1$/);
  await expect(tab("No TTL")).toHaveText(/1$/);
  await expect(tab("Has waiters")).toHaveText(/0$/);
  await expect(page.getByTestId("position")).toHaveText(/3$/);
  await lockkeeper.redis.runCli("DEL", key("counted:3"));
  await expect(tab("All")).toHaveText(/2$/);
  await expect(tab("No TTL")).toHaveText(/0$/);
});
