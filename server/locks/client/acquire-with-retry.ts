import { setTimeout as sleep } from "node:timers/promises";
import type { Grant } from "../../../lib/contract/actions/verb.ts";
import { AbortedError, HeldError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { getCurrentMoment, type Moment } from "../verbs/moment.ts";
import type { AcquireOptions, LockVerbs } from "../verbs/verbs.ts";
import type { Logger } from "./logger.ts";

/** Trying again and again instead of waiting for the wake-up. */
export interface Retry {
  /** Tries in all, the first included. */
  readonly tries: number;
  readonly pauseMs: number;
  /** Share of the pause that chance adds or takes, 0 to 1. */
  readonly jitter?: number;
}

/**
 * What a try found. `free`: granted, nobody had it. `gone`: granted, and the hold that the try before had seen is gone.
 * `held`: as at the try before. `outrun`: that hold is gone, and somebody else was faster.
 */
type TryResult = "free" | "gone" | "held" | "outrun";

/** A long wait is asked for in stretches of this: a timer has a longest time. */
const WAIT_STRETCH_MS = 60 * 60 * 1000;

/** A grant, and the moment before the request that got it was sent. */
export type TimedGrant = readonly [grant: Grant, sentAt: Moment];

/** Takes a lock as often and as long as asked. Each try of a `retry` says in the debug log what it found. */
export async function acquireWithRetry(
  verbs: LockVerbs,
  key: string,
  options: AcquireOptions & { readonly signal?: AbortSignal | undefined },
  retry: Retry | undefined,
  log: Logger | undefined,
): Promise<TimedGrant> {
  if (retry === undefined) return await acquireOnce(verbs, key, options);
  assertRetry(retry);
  let before: HeldError | undefined;
  const report = (tried: number, answer: TryResult | string) =>
    log?.debug({ key, owner: options.owner, tried, answer }, "try");
  for (let tried = 1; ; tried++) {
    try {
      const result = await acquireOnce(verbs, key, { ...options, waitMs: 0 });
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
    await sleepUnlessAborted(retry.pauseMs * jitter, options.signal);
  }
}

function assertRetry({ tries, pauseMs, jitter = 0 }: Retry): void {
  if (!Number.isInteger(tries) || tries < 1) throw createRetryError("tries is a whole number, 1 or more");
  if (!Number.isFinite(pauseMs) || pauseMs < 0)
    throw createRetryError("pauseMs is a number of milliseconds, 0 or more");
  if (!(jitter >= 0 && jitter <= 1)) throw createRetryError("jitter is a number from 0 to 1");
}

function createRetryError(fault: string): InvalidError {
  return new InvalidError(`${fault}.`, { field: "retry" });
}

async function acquireOnce(verbs: LockVerbs, key: string, options: AcquireOptions): Promise<TimedGrant> {
  const { waitMs = 0 } = options;
  const deadline = performance.now() + waitMs;
  for (let leftMs = waitMs; ; leftMs = Math.max(0, deadline - performance.now())) {
    let sentAt = getCurrentMoment();
    const onSend = () => {
      sentAt = getCurrentMoment();
    };
    try {
      const { grant } = await verbs.acquire(key, {
        ...options,
        waitMs: Math.min(leftMs, WAIT_STRETCH_MS),
        onSend,
      });
      return [grant, sentAt];
    } catch (error) {
      if (!(error instanceof WaitTimeoutError) || leftMs <= WAIT_STRETCH_MS) throw error;
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
    throw new AbortedError("The wait was given up; nothing is held.");
  }
}
