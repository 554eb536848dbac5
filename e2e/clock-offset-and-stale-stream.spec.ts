import { once } from "node:events";
import { createServer, connect as dial, type Socket } from "node:net";
import type { Page } from "@playwright/test";
import { beginSession, type Console, expect, test } from "./console.ts";
import { expectWithin, measureMs } from "./expect-within.ts";

const MINUTE_MS = 60_000;
const SAMPLES = 9;

/** Returns a script that shifts the browser's wall clock by `byMs`. The script does not affect timers. */
const setDateOff = (byMs: number) => `{
  const Right = Date;
  globalThis.Date = class extends Right {
    constructor(...parts) { parts.length === 0 ? super(Right.now() + ${byMs}) : super(...parts); }
    static now() { return Right.now() + ${byMs}; }
  };
}`;

for (const minutes of [-5, 5]) {
  test(`a browser clock that is off by ${minutes} minutes does not affect countdowns`, async ({
    page,
    lockkeeper,
    key,
  }) => {
    const name = key("counted");
    await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "owner-a", leaseMs: 55_000 });
    await page.addInitScript({ content: setDateOff(minutes * MINUTE_MS) });
    await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
    const row = page.getByRole("row").filter({ hasText: "owner-a" });
    await expect(row).toHaveCount(1);
    expect(Math.abs((await page.evaluate(() => Date.now())) - Date.now())).toBeGreaterThan(4 * MINUTE_MS);
    const endsAt = await endOf(lockkeeper, name);
    const seen = await page.evaluate<Seen[]>(COUNTED);
    // A busy machine renders a number late, which makes a difference larger, never smaller. The test therefore checks
    // the smallest difference.
    const differences = seen.map(({ shownMs, at }) => Math.round(Math.abs(shownMs - (endsAt - at))));
    expect(Math.min(...differences), `${differences}`).toBeLessThan(250);
  });
}

/**
 * A value that a countdown showed, and the time at which the value appeared, in Unix milliseconds on this machine's
 * clock.
 */
interface Seen {
  readonly shownMs: number;
  readonly at: number;
}

/**
 * Runs on the page and collects the next changes of the remaining time. Uses `performance`, which the shifted `Date`
 * does not affect.
 */
const COUNTED = `new Promise((resolve) => {
  const row = document.querySelector("tr[data-path]");
  const read = () => Math.max(...[...row.cells].map(({ textContent }) => 1000 * (/^(\\d+\\.\\d) s/.exec(textContent)?.[1] ?? 0)));
  let shownMs = read();
  const seen = [];
  const observer = new MutationObserver(() => {
    if (read() === shownMs) return;
    shownMs = read();
    seen.push({ shownMs, at: performance.timeOrigin + performance.now() });
    if (seen.length < ${SAMPLES}) return;
    observer.disconnect();
    resolve(seen);
  });
  observer.observe(row, { characterData: true, childList: true, subtree: true });
})`;

/**
 * Returns when the lock will expire in Redis, in Unix milliseconds on this machine's clock. Uses the fastest of 20
 * responses, which gives the most accurate result.
 */
async function endOf(lockkeeper: Console, name: string): Promise<number> {
  const redis = lockkeeper.redis.createClient();
  let best = { tookMs: Number.POSITIVE_INFINITY, endsAt: 0 };
  for (let asked = 0; asked < 20; asked++) {
    const from = Date.now();
    const leftMs = await redis.pttl(name);
    const tookMs = Date.now() - from;
    if (tookMs < best.tookMs) best = { tookMs, endsAt: from + tookMs / 2 + leftMs };
  }
  return best.endsAt;
}

test("a silent stream shows a stale-data banner within 3 s, blocks releases, and recovers by itself", async ({
  page,
  lockkeeper,
  key,
}) => {
  const take = (name: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(key(name))}/acquire`, {
      owner: `owner-${name}`,
      leaseMs: 600_000,
    });
  await take("a");
  const line = await lineTo(Number(new URL(lockkeeper.url).port));
  try {
    const link = lockkeeper.link.bind(lockkeeper);
    await beginSession(page.context(), { link, url: line.url });
    await page.goto(`${line.url}/?q=${encodeURIComponent(`key:${key("*")}`)}`);
    const free = page.getByRole("button", { name: `Release ${key("a")}` });
    await expect(free).not.toHaveAttribute("aria-disabled", "true");
    const banner = page.getByTestId("condition-banner");
    await expectWithin(3000, async (attempt) => {
      if (attempt > 1) {
        line.cut();
        line.mend();
        await expect(banner).toHaveCount(0);
      }
      line.silence();
      return await measureMs(() => expect(banner).toContainText("No updates for"));
    });
    await expect(free).toHaveAttribute("aria-disabled", "true");
    line.cut();
    await take("b");
    line.mend();
    await expect(banner).toHaveCount(0);
    await expect(page.getByRole("row").filter({ hasText: "owner-b" })).toHaveCount(1);
    await expect(free).not.toHaveAttribute("aria-disabled", "true");
    await freeOn(page, key("b"));
  } finally {
    await line.close();
  }
});

/** Asserts that the release dialog can be opened again after the outage. */
async function freeOn(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Release ${name}` }).click();
  await expect(page.getByRole("dialog")).toContainText(name);
}

/**
 * Starts a TCP proxy to the console. The proxy can stop forwarding data, as if the cable had been pulled, or close its
 * connections.
 */
async function lineTo(port: number) {
  const sockets = new Set<Socket>();
  let state: "whole" | "silent" | "cut" = "whole";
  const pass = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => state === "whole" && to.write(bytes));
    from.on("error", () => undefined);
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    if (state === "cut") return void near.destroy();
    const far = dial(port, "127.0.0.1");
    sockets.add(near).add(far);
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The line has no port.");
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    silence() {
      state = "silent";
    },
    cut() {
      state = "cut";
      hangUp();
    },
    mend() {
      state = "whole";
    },
    async close() {
      hangUp();
      server.close();
      await once(server, "close");
    },
  };
}
