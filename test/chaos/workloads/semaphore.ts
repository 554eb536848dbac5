import type { SemaphoreKind } from "../history/entry.ts";
import { PERMIT_LIMIT, PERMITS_MAX } from "../locks-under-test.ts";
import type { Workload } from "./workload.ts";

/** Acquires permits of a semaphore, works, and releases the permits. */
export async function runSemaphore(workload: Workload, lock: string, kind: SemaphoreKind): Promise<void> {
  const permits = workload.pickInteger(1, PERMITS_MAX);
  const held = await workload.acquire(lock, kind, { permits, limit: PERMIT_LIMIT });
  if (held === undefined) return;
  await workload.work(held);
  await workload.inspect(held);
  await workload.renew(held);
  await workload.client.release(held);
}
