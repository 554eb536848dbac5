import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { createRefusedError } from "../errors/refused-error.ts";
import { classifyFailure, findRefusal } from "../redis/failure.ts";

/**
 * Runs a read, and converts temporary Redis failures to `unavailable`.
 *
 * @param otherwise a sentence for the error message that states the consequence for the caller
 * @throws any LockkeeperError or permanent Redis error of the read, or `unavailable` for any other Redis failure
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
