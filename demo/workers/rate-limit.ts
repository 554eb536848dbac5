/** Lets each address through ten times a minute: a counter is read, checked and written back under its lock. */
import { setTimeout as sleep } from "node:timers/promises";
import { between, chance, openWorker, repeat } from "../worker.ts";

const VISITORS = 6;
const LIMIT = 10;
const { locks, shop, owner } = openWorker("gateway");

function someAddress(): string {
  // Most requests come from few addresses, as they do.
  return chance(0.6) ? `203.0.113.${Math.ceil(between(0, 4))}` : `198.51.100.${Math.ceil(between(0, 200))}`;
}

async function visit(visitor: string): Promise<void> {
  const address = someAddress();
  const options = { owner: visitor, purpose: "count a request", leaseMs: 3000, waitMs: 1000 };
  await locks.withLock(`lock:rate:${address}`, options, async ({ fence }) => {
    const name = `rate:${address}:${Math.floor(Date.now() / 60_000)}`;
    const seen = (await shop.read(name)) ?? 0;
    await sleep(between(20, 150));
    if (seen < LIMIT) await shop.write(name, seen + 1, fence ?? "0");
  });
}

await Promise.all(
  Array.from({ length: VISITORS }, (_, visitor) =>
    repeat(
      () => visit(owner(visitor + 1)),
      () => between(50, 800),
    ),
  ),
);
