import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { createRefusedError } from "../../errors/refused-error.ts";
import { classifyFailure, findRefusal } from "../../redis/failure.ts";

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
    const reason = findRefusal(cause);
    if (reason !== undefined) throw createRefusedError(reason, otherwise, { cause });
    throw new UnavailableError(`Redis does not answer. ${otherwise}`, { cause });
  }
}
