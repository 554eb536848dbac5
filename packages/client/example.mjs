import { HeldError, LockkeeperClient } from "@lockkeeper/client";

const client = new LockkeeperClient({
  url: process.env.LOCKKEEPER_URL ?? "http://127.0.0.1:3000",
  apiKey: process.env.LOCKKEEPER_API_KEY ?? "",
});

// Waits at most 5 s for the lock, runs the function and releases the lock, even if the function throws.
await client.withLock("lock:orders:42", { waitMs: 5000 }, async (hold) => {
  hold.assertHeld(); // Call it before each write. It throws LostError once the lock is lost.
  console.log(`Acquired ${hold.key}, fencing token ${hold.fence}`);
});

// Without waitMs, acquiring a held lock fails immediately.
const hold = await client.acquire("lock:orders:42", { leaseMs: 10_000 });
try {
  await client.acquire("lock:orders:42");
} catch (error) {
  if (!(error instanceof HeldError)) throw error;
  console.log(`Refused: ${error.code}`);
} finally {
  await hold.release();
  console.log("Released");
}
