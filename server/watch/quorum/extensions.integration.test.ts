import { expect } from "vitest";
import { mastersTest } from "../../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../../test/support/observed-lock.ts";
import { sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { startTestWatcher } from "../../../test/support/test-watcher.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";

const it = mastersTest(3);
const LEASE_MS = 600_000;

it("an extension that reaches the masters one after the other is reported once, and so is the next one", async ({
  masters,
  client,
  key,
  onTestFinished,
}) => {
  const { watcher, journal, stop } = await startTestWatcher({ quorum: masters.urls });
  onTestFinished(stop);
  await client.acquire(key, { owner: "me", leaseMs: 60_000, renew: false });
  await waitUntil(() => watcher.index.get(key)?.seen.votes?.owners[0]?.masters === 3);
  const [companion] = await masters.readCompanions(key);
  if (!companion) throw new Error("there is no companion");
  const { token, fence } = companion;
  let renewed = 0;
  journal.subscribe(({ type }) => {
    if (type === "renewed") renewed++;
  });
  for (const [round, leaseMs] of [LEASE_MS, 2 * LEASE_MS].entries()) {
    for (const redis of masters.clients) {
      const params = { token, fence: String(fence), leaseMs, by: "mei", reason: "a test" };
      await LOCK_WRITERS.token.extend(redis, EVENT_CHANNEL, key, params);
      // Longer than the difference of deadlines that is attributed to clocks and round trips.
      await sleepMs(600);
    }
    await waitUntil(() => (watcher.index.get(key)?.seen.remainingMs ?? 0) > leaseMs - LEASE_MS / 2);
    expect(renewed).toBe(round + 1);
  }
  expect(watcher.index.get(key)?.renewals).toMatchObject({ count: 0, isExtended: true });
}, 20_000);
