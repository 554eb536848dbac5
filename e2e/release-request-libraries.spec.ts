import type { Page } from "@playwright/test";
import { LockkeeperClient } from "../lib/client/lockkeeper-client.ts";
import type { ReleaseRequest } from "../lib/client/release-requests.ts";
import { LockClient } from "../server/locks/client/lock-client.ts";
import { type Console, expect, ROOT_KEY, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const RECORD = { service: "billing", host: "vm-1", purpose: "invoices of november" };
/**
 * Maximum time in ms for Redis, the server, the event stream and a render. Reading the key at an interval would take
 * longer.
 */
const AT_ONCE_MS = 1000;

/** Opens the release dialog once the holder is alive, and sends a release request. */
async function askInConsole(
  page: Page,
  lockkeeper: Console,
  key: string,
  renew?: () => Promise<unknown>,
): Promise<void> {
  await expect
    .poll(async () => {
      await renew?.();
      return ((await lockkeeper.api(pathOf(key))).body.liveness as { state: string } | null)?.state;
    })
    .toBe("alive");
  await page.goto(pathOf(key));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Held by billing on vm-1.");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("radio", { name: "Ask the holder to release" })).toBeChecked();
  await sheet.getByRole("textbox", { name: "Reason" }).fill("migration at 14:00");
  await page.keyboard.press("Control+Enter");
}

test("an application with @lockkeeper/redis receives a request from the console at once, accepts and releases", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("redis");
  const client = await LockClient.open(lockkeeper.redis.url);
  // The hold is renewed only every 20 s, so the request must arrive as a message to be in time.
  const hold = await client.acquire(name, { leaseMs: 60_000, record: RECORD });
  const requests: ReleaseRequest[] = [];
  hold.onReleaseRequested(async (request) => {
    requests.push(request);
    await request.accept("stops after this batch");
  });
  await askInConsole(page, lockkeeper, name, () => hold.renew());
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByTestId("request")).toContainText("“stops after this batch”", { timeout: 5000 });
  expect(requests).toMatchObject([{ reason: "migration at 14:00", requestedBy: "mei" }]);
  await hold.release();
  const releasedAt = performance.now();
  const outcome = sheet.getByTestId("outcome");
  await expect(outcome).toContainText("The holder released the lock");
  const shownAfterMs = performance.now() - releasedAt;
  expect(shownAfterMs).toBeLessThan(AT_ONCE_MS);
  await expect(outcome).toContainText("Release accepted “stops after this batch”");
  await expect(outcome).toContainText("Held bynot held");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
  await client.close();
});

test("an application with @lockkeeper/client receives a request with its next renewal, and its refusal is shown", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("http");
  const client = new LockkeeperClient({ url: lockkeeper.url, apiKey: ROOT_KEY });
  const hold = await client.acquire(name, { leaseMs: 3000, record: RECORD });
  hold.onReleaseRequested((request) => request.refuse("in a payment run"));
  try {
    await askInConsole(page, lockkeeper, name);
    const note = page.getByRole("dialog").getByTestId("request");
    await expect(note).toContainText("The holder refused the request", { timeout: 3000 });
    await expect(note).toContainText("“in a payment run”");
    expect(hold.signal.aborted).toBe(false);
  } finally {
    await hold.release();
  }
});
