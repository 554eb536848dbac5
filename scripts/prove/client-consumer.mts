// Compiled against the installed package with skipLibCheck: false. An invalid call must be a compile error.
import {
  type AcquireOptions,
  DeadlockError,
  type ErrorCode,
  HeldError,
  type Hold,
  LockkeeperClient,
  type LockkeeperClientOptions,
  LockkeeperError,
  type Released,
} from "@lockkeeper/client";

import { Latch, type LatchWaitOptions } from "@lockkeeper/client/latch";

const where: LockkeeperClientOptions = {
  url: ["https://a.example.com", "https://b.example.com"],
  apiKey: "lk_1",
  onError: (error) => console.warn(error.code satisfies ErrorCode, error.message),
};
const options: AcquireOptions = { leaseMs: 10_000, waitMs: 5000, signal: AbortSignal.timeout(1000) };

const client = new LockkeeperClient(where);
const total: number = await client.withLock("lock:orders:42", options, async (hold: Hold) => {
  hold.assertHeld();
  return hold.remainingMs();
});
const fence: string = await client.withLock("lock:orders:42", (hold) => hold.fence);
console.log(fence);
try {
  await using hold = await client.acquire("lock:orders:42", { renewal: "manual", record: { service: "a" } });
  await hold.renew({ leaseMs: 5000 });
  const released: Released = await hold.release();
  console.log(released.outcome);
} catch (error) {
  if (error instanceof HeldError) console.log(error.code satisfies "held", error.facts.holders, total);
  else if (error instanceof LockkeeperError) console.log(error.code satisfies ErrorCode);
}

await client.withLock("lock:acct:7", async (outer) => {
  const waiting = { waitMs: 5000, holding: [outer, "h1.abc"], onDeadlock: "refuse" } as const;
  const refused: unknown = await client.acquire("lock:acct:9", waiting).catch((error: unknown) => error);
  if (refused instanceof DeadlockError)
    for (const { owner, key } of refused.facts.cycle) console.log(owner, key);
});

const latch = new Latch(client, "lock:import:42");
const isSet: boolean = await latch.trySetCount(2);
const count: number = await latch.countDown();
const patience: LatchWaitOptions = { waitMs: 1000, signal: AbortSignal.timeout(500) };
await latch.await(patience);
console.log(isSet, count, await latch.getCount());

// @ts-expect-error: a latch needs a client.
new Latch("lock:import:42");
// @ts-expect-error: the lease must be a number of milliseconds.
await client.acquire("lock:orders:42", { leaseMs: "10s" });
// @ts-expect-error: renewal is automatic or manual.
await client.acquire("lock:orders:42", { renewal: false });
