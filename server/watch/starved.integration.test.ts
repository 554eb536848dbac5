import { expect } from "vitest";
import type { GapEvent } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createBearerHeader, ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";

const HOLD_MS = 400;
/** Duration of the block in ms. Longer than the hold, because Redis may take another 100 ms to expire an idle key. */
const STANDSTILL_MS = HOLD_MS + 400;

const it = serverTest();

/** Blocks this process, as if it got no CPU time. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("a foreign hold that came and went while the process stood still is in a gap", {
  timeout: 30_000,
}, async ({ server }) => {
  const redis = server.redis.createClient();
  const isRecording = async (since: number) =>
    ((await server.call("/history?limit=1")).body.items[0]?.at ?? 0) > since;
  const hold = await server.acquire("lock:own", { owner: "me" });
  await waitUntil(() => isRecording(0));
  const startedAt = Date.now();
  await redis.set("lock:unseen", "2f0c0c1e-0000-4000-8000-000000000001", "PX", HOLD_MS);
  standStill(STANDSTILL_MS);
  const endedAt = Date.now();
  await waitUntil(async () => {
    const { items } = (await server.call("/history")).body;
    return items.some(isGap);
  }, 10_000);
  const { items } = (await server.call("/history")).body;
  const gap: GapEvent = items.find(isGap);
  expect(gap.from).toBeLessThanOrEqual(startedAt);
  expect(gap.to).toBeGreaterThanOrEqual(endedAt - 50);
  const metrics = await (
    await fetch(`${server.url}/metrics`, { headers: createBearerHeader(ROOT_KEY) })
  ).text();
  expect(metrics).toContain('lockkeeper_unseen_holds_total{target="default"} 1');
  await server.callHold(hold, "release");
});
