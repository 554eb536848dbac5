import type { Workload } from "./workload.ts";

/** Acquires a plain or fair lock, changes the protected resource, and releases the lock. */
export async function runExclusive(workload: Workload, lock: string, kind: "lock" | "fair"): Promise<void> {
  const held = await workload.acquire(lock, kind);
  if (held === undefined) return;
  await workload.update(held);
  await workload.inspect(held);
  if (workload.isChosen(0.35)) await workload.reenter(held, (inner) => workload.update(inner));
  await workload.renew(held);
  await workload.client.release(held);
}
