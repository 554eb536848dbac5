import { HeldError, LockClient } from "@lockkeeper/redis";

const client = await LockClient.open(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");
try {
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
} finally {
  client.close();
}
