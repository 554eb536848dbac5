/** One of several instances fetches prices. The others wait for its lock, to take over when it stops or crashes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hold } from "../../lib/contract/actions/verb.ts";
import { isChosen, openWorker, pickBetween, repeat } from "../worker.ts";

const KEY = "lock:leader:price-fetcher";
const LEASE_MS = 9000;
/** An instance refuses release requests until it has made more fetches than this. */
const FETCHES_MIN = 3;
const { locks, shop, owner } = openWorker("price-fetcher");
const me = owner("main");

async function leadUpdates(hold: Hold): Promise<void> {
  const untilMs = Date.now() + pickBetween(20_000, 60_000);
  for (let fetched = 1; Date.now() < untilMs; fetched++) {
    await sleep(LEASE_MS / 3);
    const renewed = await locks.renew(hold);
    if (renewed === undefined) return;
    if (renewed.releaseRequested?.state === "requested") {
      const isNew = fetched <= FETCHES_MIN;
      const text = isNew ? "took over a moment ago, ask again in 10 s" : "the next instance takes over";
      await locks.answerReleaseRequest(renewed, isNew ? "refused" : "accepted", text);
      if (!isNew) return;
    }
    if (!(await shop.write("prices", fetched, hold.fence))) return;
    // Simulates a crash: the lock is not released, so the next instance waits until the lease expires.
    if (isChosen(0.02)) process.exit(1);
  }
}

await repeat(
  async () => {
    const options = { owner: me, purpose: "fetch the prices", leaseMs: LEASE_MS, waitMs: 30_000 };
    await locks.withLock(KEY, { ...options, receivesReleaseRequests: true }, leadUpdates);
  },
  () => pickBetween(200, 1000),
);
