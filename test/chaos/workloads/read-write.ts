import type { RecordedHold } from "../processes/recording-client.ts";
import type { Workload } from "./workload.ts";

const READERS = 0.7;

/** Reads the protected resource as one of several readers, or changes the resource as the writer. */
export async function runReadWrite(workload: Workload, lock: string): Promise<void> {
  if (workload.isChosen(READERS)) await runReader(workload, lock);
  else await runWriter(workload, lock);
}

async function runReader(workload: Workload, lock: string): Promise<void> {
  const held = await workload.acquire(lock, "read");
  if (held === undefined) return;
  await workload.look(held);
  await workload.inspect(held);
  if (workload.isChosen(0.25)) await workload.reenter(held, (inner) => workload.look(inner));
  await workload.renew(held);
  await workload.client.release(held);
}

async function runWriter(workload: Workload, lock: string): Promise<void> {
  const held = await workload.acquire(lock, "write");
  if (held === undefined) return;
  await workload.update(held);
  if (workload.isChosen(0.35)) await workload.reenter(held, (inner) => workload.update(inner));
  else if (workload.isChosen(0.4)) await becomeReader(workload, held);
  await workload.inspect(held);
  await workload.renew(held);
  await workload.client.release(held);
}

/**
 * Downgrades the hold. Repeats a failed downgrade once. The documentation recommends this if the outcome is unknown.
 */
async function becomeReader(workload: Workload, held: RecordedHold): Promise<void> {
  const isReader = (await workload.client.downgrade(held)) || (await workload.client.downgrade(held));
  if (isReader) await workload.look(held);
}
