import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { classifyFailure, isReplyError, isTransient } from "../../redis/failure.ts";

/**
 * Looks at Redis, and says so when it does not answer, or does not allow it.
 *
 * @param otherwise a sentence that says what this means for whoever asked
 * @throws LockkeeperError those of the look, unavailable
 */
export async function explainRedisFailure<Result>(
  attempt: () => Promise<Result>,
  otherwise: string,
): Promise<Result> {
  try {
    return await attempt();
  } catch (cause) {
    if (cause instanceof LockkeeperError || classifyFailure(cause) === "fault") throw cause;
    const isRefused = isReplyError(cause) && !isTransient(cause);
    const why = isRefused ? `Redis does not allow it (${cause.message}).` : "Redis does not answer.";
    throw new UnavailableError(`${why} ${otherwise}`, { cause });
  }
}
