import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { describeError, printMessage } from "./messages.ts";

/**
 * Error codes of transient failures, after which the lock can be requested again. If the failed request acquired the
 * lock after all, the hold expires with its lease.
 */
const OUTAGES: ReadonlySet<string> = new Set(["unavailable", "unknown_outcome", "not_replicated"]);
const RETRY_MS = 500;

export interface WaitOptions {
  /** Maximum wait in milliseconds; Infinity for no limit. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `acquire` until it succeeds, for up to `waitMs`. Retries only after transient failures, such as an unavailable
 * server or Redis. Throws other errors immediately.
 *
 * @param acquire called with the remaining wait in milliseconds, or Infinity for no limit
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

/**
 * Calls `open` until it succeeds, for up to `waitMs`. Retries only if the server or Redis is unavailable. Throws other
 * errors immediately. If `signal` is aborted, throws its reason at once, and closes a connection that opens later.
 */
export async function openWithinWait<Result extends { close(): void }>(
  { waitMs, signal }: WaitOptions,
  open: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (let isReported = false; ; isReported = true) {
    try {
      return await openUntilAborted(open, signal);
    } catch (error) {
      const restMs = deadline - performance.now();
      if (signal.aborted || !isUnavailable(error) || restMs <= RETRY_MS) throw error;
      if (!isReported) printMessage(`${describeError(error)} Retrying until the wait ends.`);
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

async function openUntilAborted<Result extends { close(): void }>(
  open: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const settled = new AbortController();
  const opening = open();
  const aborted = new Promise<never>((_resolve, reject) => {
    const options = { once: true, signal: settled.signal };
    signal.addEventListener("abort", () => reject(signal.reason), options);
  });
  try {
    return await Promise.race([opening, aborted]);
  } catch (error) {
    void opening.then(
      (opened) => opened.close(),
      () => undefined,
    );
    throw error;
  } finally {
    settled.abort();
  }
}

/** Whether the error means that the server or Redis is unavailable, which can be temporary. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof CliError && error.exitCode === EXIT_CODES.unavailable;
}

/** Returns the `code` of an error from a lock client, or an empty string for an error without a code. */
export function readCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
