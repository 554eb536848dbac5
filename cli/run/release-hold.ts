import { setTimeout as sleep } from "node:timers/promises";
import { formatDuration } from "../output/duration.ts";
import type { HeldLock } from "./held-lock.ts";
import { describeError, printMessage } from "./messages.ts";

/** Time limit for a release, in ms. If the release takes longer, the hold is left to expire. */
const RELEASE_MS = 5000;

/**
 * Releases the hold. If the release fails or takes longer than 5 s, prints a message and returns `unknown`. The hold
 * then expires with its lease.
 *
 * @param remainingMs time until the lease ends, in milliseconds
 */
export async function releaseHold(
  hold: HeldLock,
  key: string,
  remainingMs: number,
): Promise<"released" | "not_held" | "unknown"> {
  const timer = new AbortController();
  const timeout = sleep(RELEASE_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no response within ${formatDuration(RELEASE_MS)}`);
  });
  try {
    return await Promise.race([hold.release(), timeout]);
  } catch (error) {
    const expiry =
      remainingMs > 0 ? `It expires within ${formatDuration(remainingMs)}.` : "Its lease has ended.";
    printMessage(`Could not release ${key} (${describeError(error)}). ${expiry}`);
    return "unknown";
  } finally {
    timer.abort();
    timeout.catch(() => undefined);
  }
}
