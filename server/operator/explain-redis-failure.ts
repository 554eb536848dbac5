import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { createRefusedError } from "../errors/refused-error.ts";
import { classifyFailure, findRefusal } from "../redis/failure.ts";

/**
 * Runs a read from Redis, and converts Redis failures to `unavailable` errors.
 *
 * @param otherwise a sentence for the error message that states the effect on the request
 * @throws LockkeeperError unavailable; a LockkeeperError, or an error that `classifyFailure` classifies as `fault`, is
 * rethrown unchanged
 */
export async function explainRedisFailure<Result>(
  attempt: () => Promise<Result>,
  otherwise: string,
): Promise<Result> {
  try {
    return await attempt();
  } catch (cause) {
    if (cause instanceof LockkeeperError || classifyFailure(cause) === "fault") throw cause;
    const reason = findRefusal(cause);
    if (reason !== undefined) throw createRefusedError(reason, otherwise, { cause });
    throw new UnavailableError(`Redis is not responding. ${otherwise}`, { cause });
  }
}
