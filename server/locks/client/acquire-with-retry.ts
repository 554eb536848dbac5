import { setTimeout as sleep } from "node:timers/promises";
import { getCurrentMoment, type Moment } from "../../../lib/client/moment.ts";
import { HeldError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { AcquireOptions } from "../verbs/contract/verbs.ts";
import { createAbortedError } from "../waiting/wait-coordinator.ts";
import type { Logger } from "./logger.ts";

/** Options for polling a lock at intervals instead of waiting in the queue. */
export interface Retry {
  /** Total number of attempts. */
  readonly tries: number;
  readonly pauseMs: number;
  /** Maximum random change to each pause, as a share of `pauseMs` from 0 to 1; 0 by default. */
  readonly jitter?: number;
}

/**
 * The result of an attempt. `free`: granted on the first attempt. `gone`: granted, because the hold that the previous
 * attempt found has ended. `held`: refused. `outrun`: refused, because another client acquired the lock first after
 * that hold ended.
 */
type TryResult = "free" | "gone" | "held" | "outrun";

/** Maximum length of one wait, in ms. A longer wait is split into several, because timers have a maximum duration. */
export const WAIT_SLICE_MS = 60 * 60 * 1000;
/**
 * Maximum length of one wait for a fair lock, in ms, close to the maximum duration of a timer. The waiter loses its
 * place in the queue at the end of each such wait, so there must be few of them.
 */
const FAIR_WAIT_SLICE_MS = 24 * 24 * WAIT_SLICE_MS;

/** The result of an acquire, and the time directly before its request was sent. */
export type TimedAcquisition<Acquired> = readonly [acquired: Acquired, sentAt: Moment];

type Send<Acquired> = (options: AcquireOptions) => Promise<Acquired>;

/** The fields that identify an acquire in log entries. */
export interface AcquireSubject {
  readonly key: string;
  readonly owner: string;
}

/**
 * Acquires one or several locks, with retries or a wait as configured. If `retry` is set, logs each attempt at the
 * debug level.
 */
export async function acquireWithRetry<Acquired>(
  send: Send<Acquired>,
  subject: AcquireSubject,
  options: AcquireOptions & { readonly signal?: AbortSignal | undefined },
  retry: Retry | undefined,
  log: Logger | undefined,
): Promise<TimedAcquisition<Acquired>> {
  if (retry === undefined) return await acquireOnce(send, options);
  const report = (tried: number, answer: TryResult | string) =>
    log?.debug({ ...subject, tried, answer }, "try");
  return await retryWhileHeld(
    () => acquireOnce(send, { ...options, waitMs: 0 }),
    retry,
    options.signal,
    report,
  );
}

/**
 * Calls `acquire` until it succeeds or fails with an error other than HeldError, at most `retry.tries` times.
 *
 * @throws InvalidError if `retry` is invalid; the error from the last attempt; AbortedError if `signal` aborts during a
 * pause
 */
export async function retryWhileHeld<Result>(
  acquire: () => Promise<Result>,
  retry: Retry,
  signal: AbortSignal | undefined,
  report: (tried: number, answer: TryResult | string) => void = () => undefined,
): Promise<Result> {
  assertRetry(retry);
  let before: HeldError | undefined;
  for (let tried = 1; ; tried++) {
    try {
      const result = await acquire();
      report(tried, before === undefined ? "free" : "gone");
      return result;
    } catch (error) {
      if (!(error instanceof HeldError)) {
        report(tried, String(error));
        throw error;
      }
      report(tried, before === undefined || isSameHolder(before, error) ? "held" : "outrun");
      if (tried >= retry.tries) throw error;
      before = error;
    }
    const jitter = 1 + (retry.jitter ?? 0) * (2 * Math.random() - 1);
    await sleepUnlessAborted(retry.pauseMs * jitter, signal);
  }
}

function assertRetry({ tries, pauseMs, jitter = 0 }: Retry): void {
  if (!Number.isInteger(tries) || tries < 1)
    throw createRetryError("tries must be a whole number of at least 1");
  if (!Number.isFinite(pauseMs) || pauseMs < 0)
    throw createRetryError("pauseMs must be a number of milliseconds, 0 or more");
  if (!(jitter >= 0 && jitter <= 1)) throw createRetryError("jitter must be a number from 0 to 1");
}

function createRetryError(fault: string): InvalidError {
  return new InvalidError(`${fault}.`, { field: "retry" });
}

async function acquireOnce<Acquired>(
  send: Send<Acquired>,
  options: AcquireOptions,
): Promise<TimedAcquisition<Acquired>> {
  const { waitMs = 0 } = options;
  const sliceMs = options.kind === "fair" ? FAIR_WAIT_SLICE_MS : WAIT_SLICE_MS;
  const deadline = performance.now() + waitMs;
  for (let leftMs = waitMs; ; leftMs = Math.max(0, deadline - performance.now())) {
    let sentAt = getCurrentMoment();
    const onSend = () => {
      sentAt = getCurrentMoment();
    };
    try {
      const acquired = await send({
        ...options,
        waitMs: Math.min(leftMs, sliceMs),
        onSend,
      });
      return [acquired, sentAt];
    } catch (error) {
      if (!(error instanceof WaitTimeoutError) || leftMs <= sliceMs) throw error;
    }
  }
}

function isSameHolder(before: HeldError, now: HeldError): boolean {
  const [one, two] = [before.facts.holders[0], now.facts.holders[0]];
  return one?.owner === two?.owner && one?.fence === two?.fence;
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {});
  } catch {
    throw createAbortedError(signal);
  }
}
