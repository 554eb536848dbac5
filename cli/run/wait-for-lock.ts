import { setTimeout as sleep } from "node:timers/promises";
import { describeError, printMessage } from "./messages.ts";

/** Codes of transient failures. The lock was not acquired, or is released when its lease expires. */
const OUTAGES: ReadonlySet<string> = new Set(["unavailable", "unknown_outcome", "not_replicated"]);
const RETRY_MS = 500;

export interface WaitOptions {
  /** Infinity for no limit. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `acquire` until it succeeds, or fails for a reason other than an outage of the server or of Redis, for at most
 * `waitMs`.
 *
 * @param acquire called with the remaining wait in milliseconds
 */
export async function waitForLock<Result>(
  { waitMs, signal }: WaitOptions,
  acquire: (restMs: number) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (let isReported = false; ; isReported = true) {
    const restMs = Math.max(0, deadline - performance.now());
    try {
      return await acquire(Number.isFinite(restMs) ? Math.round(restMs) : restMs);
    } catch (error) {
      if (signal.aborted || !OUTAGES.has(readCode(error)) || restMs <= RETRY_MS) throw error;
      if (!isReported) printMessage(`${describeError(error)} Retrying until the wait ends.`);
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/** Returns the code of a lock client's error; an empty string for an error without a code. */
export function readCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
