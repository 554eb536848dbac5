/**
 * Runs workers that each hold one lock while they wait for another, and that declare the lock they hold.
 *
 * Usage: `node --import tsx nested-waits.ts REDIS_URL`
 */

import { UnknownOutcomeError } from "../../../server/errors/redis-errors.ts";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import type { WaitsRequest, WaitsResponse } from "../watch/waits-messages.ts";

const LEASE_MS = 3_600_000;
/** Lease of a shared lock in ms. It is short because an acquire with an unknown outcome may leave the lock held. */
const SHARED_LEASE_MS = 10_000;
const WAIT_MS = 600_000;

const [url = ""] = process.argv.slice(2);
const client = await LockClient.open(url);
let pairs = 0;
let names = 0;
let stop = new AbortController();
let running: Promise<unknown> = Promise.resolve();

/** Repeats a call until its outcome is known, because Redis does not always reply in time on a busy machine. */
async function repeat<Result>(send: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error;
    }
  }
}

async function work(worker: number, shared: string, { signal }: AbortController): Promise<void> {
  const lease = { leaseMs: LEASE_MS, renew: false };
  // Each attempt uses a new name, because an acquire with an unknown outcome may have left the previous lock held.
  const own = await repeat(() => client.acquire(`lock:own:${worker}:${names++}`, lease));
  const options = { ...lease, leaseMs: SHARED_LEASE_MS, waitMs: WAIT_MS, holding: [own], signal };
  try {
    while (!signal.aborted) {
      const hold = await repeat(() => client.acquire(shared, options));
      await repeat(() => hold.release());
      pairs++;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await repeat(() => own.release());
  }
}

process.on("message", async (request: WaitsRequest) => {
  if (request.do === "start") {
    const { workers, locks } = request;
    stop = new AbortController();
    const all = Array.from({ length: workers }, (_, at) => work(at, `lock:shared:${at % locks}`, stop));
    running = Promise.all(all);
  } else if (request.do === "stop") {
    stop.abort();
    await running;
  }
  process.send?.({ pairs } satisfies WaitsResponse);
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
