// Compiled against the installed package with skipLibCheck: false. An invalid call must be a compile error.
import {
  type CampaignOptions,
  campaign,
  HeldError,
  type Hold,
  type HoldOptions,
  LockClient,
  LockkeeperError,
  type Logger,
  type RedisLocation,
  withLock,
} from "@lockkeeper/redis";

const log: Logger = { debug: () => undefined, warn: (details, message) => console.warn(message, details) };
const where: RedisLocation = { cluster: ["redis://127.0.0.1:6379"] };
const options: HoldOptions = { leaseMs: 10_000, waitMs: 5000, signal: AbortSignal.timeout(1000) };

const client: LockClient = await LockClient.open(where, { log });
const total: number = await client.withLock("lock:orders:42", options, async (hold: Hold) => {
  hold.assertHeld();
  return hold.remainingMs();
});
const fence: string = await withLock(
  client,
  "lock:orders:42",
  { reentrant: true },
  async (hold) => hold.fence,
);
console.log(fence);
try {
  const hold = await client.acquire("lock:orders:42");
  await hold.release();
} catch (error) {
  if (error instanceof HeldError) console.log(error.code satisfies "held", error.facts.holders, total);
  else if (error instanceof LockkeeperError) console.log(error.code);
}

const elected: CampaignOptions = {
  signal: AbortSignal.timeout(1000),
  onElected: async (lead, { fence }) => console.log(lead.aborted, fence),
};
await campaign(client, "lock:leader", elected);

// @ts-expect-error: the lease must be a number of milliseconds.
await client.acquire("lock:orders:42", { leaseMs: "10s" });
