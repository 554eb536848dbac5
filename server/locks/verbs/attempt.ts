import { setTimeout as sleep } from "node:timers/promises";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { createRefusedError } from "../../errors/refused-error.ts";
import type { Commands } from "../../redis/commands.ts";
import { waitUntilReady } from "../../redis/connect.ts";
import {
  classifyFailure,
  findRefusal,
  isReplyError,
  isTransient,
  readErrorCode,
} from "../../redis/failure.ts";

/** Time, in ms, for which a verb retries before it reports that Redis did not reply. */
export const ATTEMPT_BUDGET_MS = 2000;

/**
 * Minimum time for an attempt, in ms. In less time, the reply might arrive too late, and the outcome would be unknown
 * even if Redis refused the call.
 */
const ATTEMPT_MS_MIN = 100;

/**
 * Time limit for the last attempt, in ms, which may end after the budget. It is longer than the 200 ms for which a
 * cluster call waits for a connection, so a call that was never sent fails as such and not as one without a reply.
 */
const LAST_ATTEMPT_MS_MIN = 300;

export interface AttemptOptions {
  readonly budgetMs?: number;
  /**
   * Which calls to repeat. `unknown`: all calls that returned no reply, even if Redis may have executed them.
   * `not_executed`: only calls that Redis did not execute.
   */
  readonly repeat?: "unknown" | "not_executed";
}

/**
 * Calls Redis until it replies or the time limit expires. A call is repeated after a lost reply unless `repeat` is
 * `not_executed`, so use this function only for scripts that are idempotent or have a request id. After a lost reply,
 * `call` receives the time since the first call was sent, in ms.
 *
 * @throws LockkeeperError `unavailable` if nothing was done, or `unknown_outcome` if the call may have been executed
 */
export async function attempt<Reply>(
  redis: Pick<Commands, "status" | "on" | "off">,
  call: (retryMs: number | undefined) => Promise<Reply>,
  { budgetMs = ATTEMPT_BUDGET_MS, repeat = "unknown" }: AttemptOptions = {},
): Promise<Reply> {
  const deadline = performance.now() + budgetMs;
  let sentAt: number | undefined;
  let sawUnknown = false;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    try {
      if (redis.status !== "ready")
        await waitUntilReady(redis, AbortSignal.timeout(computeRemainingMs(deadline)));
      const retryMs = sentAt === undefined ? undefined : Math.ceil(performance.now() - sentAt);
      sentAt ??= performance.now();
      const reply = call(sawUnknown ? retryMs : undefined);
      // The first attempt has the time limit of the command, which is shorter than any budget.
      if (retryMs === undefined) return await reply;
      return await withTimeout(Math.max(computeRemainingMs(deadline), LAST_ATTEMPT_MS_MIN), reply);
    } catch (error) {
      // A LockkeeperError means that this call was not sent. An earlier attempt may have been executed.
      if (error instanceof LockkeeperError) throw sawUnknown ? toOutcomeError(sawUnknown, error) : error;
      const failure = error instanceof DOMException ? "not_executed" : classifyFailure(error);
      if (failure === "fault") throw error;
      sawUnknown ||= failure === "unknown";
      // A closed connection does not reopen, so retries in the background stop.
      const isOver = redis.status === "end" || (sawUnknown && repeat === "not_executed");
      if (isOver || !isTransient(error) || computeRemainingMs(deadline) < pauseMs + ATTEMPT_MS_MIN)
        throw toOutcomeError(sawUnknown, error);
    }
    await sleep(pauseMs);
  }
}

/** Converts the error from a script call that several verbs shared to the error that `attempt` would throw. */
export function toVerbError(error: Error): Error {
  const failure = classifyFailure(error);
  return failure === "fault" ? error : toOutcomeError(failure === "unknown", error);
}

function computeRemainingMs(deadline: number): number {
  return Math.max(0, Math.ceil(deadline - performance.now()));
}

function toOutcomeError(sawUnknown: boolean, cause: unknown): UnavailableError | UnknownOutcomeError {
  if (sawUnknown) {
    return new UnknownOutcomeError(
      "Redis did not reply in time, so this may or may not have been done. Retry with the same Idempotency-Key, or read the lock.",
      { cause },
    );
  }
  const reason = findRefusal(cause);
  if (reason !== undefined) return createRefusedError(reason, "Nothing was done.", { cause });
  const code = isReplyError(cause) ? readErrorCode(cause) : undefined;
  const why = code === undefined ? "" : ` (${code})`;
  return new UnavailableError(`Redis cannot take this request now${why}. Nothing was done; try again.`, {
    cause,
  });
}
