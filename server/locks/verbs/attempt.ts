import { setTimeout as sleep } from "node:timers/promises";
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

/** How long a verb may try before it says that Redis did not answer. */
export const ATTEMPT_BUDGET_MS = 2000;

export interface AttemptOptions {
  readonly budgetMs?: number;
  /** What is made again: `unknown` also what may have been done, `not_executed` only what certainly was not. */
  readonly repeat?: "unknown" | "not_executed";
}

/**
 * Calls Redis until it answers or the budget ends. Safe for scripts only that carry a request id: a call whose
 * reply was lost is made again, and the id keeps it from counting twice. Such a call is told how long ago the first
 * one was sent.
 *
 * @throws LockkeeperError `unavailable` when certainly nothing was done, `unknown_outcome` when it cannot be told.
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
      // The first try is bounded by the command's own time limit, which is shorter than any budget.
      return retryMs === undefined ? await reply : await withBudget(reply, deadline);
    } catch (error) {
      // Refused by us, before it was sent; an earlier try may have been carried out all the same.
      if (error instanceof LockkeeperError) throw sawUnknown ? toOutcomeError(sawUnknown, error) : error;
      const failure = error instanceof DOMException ? "not_executed" : classifyFailure(error);
      if (failure === "fault") throw error;
      sawUnknown ||= failure === "unknown";
      // A connection that was closed for good does not come back: what tries in the background ends with it.
      const isOver = redis.status === "end" || (sawUnknown && repeat === "not_executed");
      if (isOver || !isTransient(error) || computeRemainingMs(deadline) <= pauseMs)
        throw toOutcomeError(sawUnknown, error);
    }
    await sleep(pauseMs);
  }
}

class BudgetExceededError extends Error {}

/** The command's own time limit is fixed; the last try gets only what is left of the budget. */
async function withBudget<Reply>(reply: Promise<Reply>, deadline: number): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new BudgetExceededError("Redis did not answer within the budget")),
      computeRemainingMs(deadline),
    );
  });
  try {
    return await Promise.race([reply, over]);
  } finally {
    clearTimeout(timer);
    reply.catch(() => undefined);
  }
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
