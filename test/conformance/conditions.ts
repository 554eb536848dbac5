import { expect } from "vitest";
import type { LockClient } from "../../server/locks/client/lock-client.ts";
import { catchLockError, measureMs } from "../support/test-locks.ts";

const WAIT = { waitMs: 20_000 };
/**
 * Maximum time until a signalled waiter resumes, in milliseconds. After a lost message, a waiter takes up to 2 s to
 * resume.
 */
const WOKEN_WITHIN_MS = 1500;

/** Checks conditions with two clients: plain and fair locks, re-entered holds, timeouts and cancellation. */
export async function checkConditions(one: LockClient, two: LockClient, key: string): Promise<void> {
  for (const kind of ["lock", "fair"] as const) await checkCondition(one, two, `${key}:${kind}`, kind);
}

async function checkCondition(one: LockClient, two: LockClient, key: string, kind: "lock" | "fair") {
  const hold = await one.acquire(key, { kind });
  const again = await hold.reenter();
  const { fence } = hold;
  const awaited = again.condition("ready").await();
  const signaller = await two.acquire(key, { kind, ...WAIT });
  const abort = new AbortController();
  const cancelled = catchLockError(
    one
      .acquire(key, { kind, ...WAIT })
      .then((third) => third.condition("ready").await({ signal: abort.signal })),
  );
  expect(await signaller.condition("ready").signal()).toBe(true);
  expect(await signaller.condition("ready").signalAll()).toBe(0);
  const woken = measureMs(awaited);
  await signaller.release();
  expect(await awaited).toBe(true);
  expect((await woken).ms).toBeLessThan(WOKEN_WITHIN_MS);
  expect(Number(hold.fence)).toBeGreaterThan(Number(fence));
  expect(await again.release()).toMatchObject({ outcome: "still_held", count: 1 });
  expect(await hold.condition("ready").await({ waitMs: 20 })).toBe(false);
  expect(await hold.release()).toMatchObject({ outcome: "released" });
  abort.abort();
  expect(await cancelled).toMatchObject({ code: "aborted" });
  await two.withLock(key, { kind, ...WAIT }, async (last) => {
    await expect.poll(() => last.condition("ready").signalAll()).toBe(0);
  });
}
