/** Permits ten requests per minute for each address. Reads, checks and writes a counter under its lock. */
import { setTimeout as sleep } from "node:timers/promises";
import { isChosen, openWorker, pickBetween, repeat } from "../worker.ts";

const VISITORS = 6;
const LIMIT = 10;
const { locks, shop, owner } = openWorker("gateway");

function pickAddress(): string {
  // Most requests come from a few addresses.
  return isChosen(0.6)
    ? `203.0.113.${Math.ceil(pickBetween(0, 4))}`
    : `198.51.100.${Math.ceil(pickBetween(0, 200))}`;
}

async function visitPage(visitor: string): Promise<void> {
  const address = pickAddress();
  const options = { owner: visitor, purpose: "count a request", leaseMs: 3000, waitMs: 1000 };
  await locks.withLock(`lock:rate:${address}`, options, async ({ fence }) => {
    const name = `rate:${address}:${Math.floor(Date.now() / 60_000)}`;
    const seen = (await shop.read(name)) ?? 0;
    await sleep(pickBetween(20, 150));
    if (seen < LIMIT) await shop.write(name, seen + 1, fence);
  });
}

await Promise.all(
  Array.from({ length: VISITORS }, (_, visitor) =>
    repeat(
      () => visitPage(owner(visitor + 1)),
      () => pickBetween(50, 800),
    ),
  ),
);
