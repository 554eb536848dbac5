import { ApiError } from "./api-error.ts";
import { type LockkeeperError, LostError } from "./errors.ts";
import { getRetryRule, isErrorCode, type RetryRule } from "./failure-rules.ts";
import type { HoldLease } from "./hold-lease.ts";
import { toLockkeeperError } from "./to-lockkeeper-error.ts";

/**
 * Converts an error from a request about a hold to a LockkeeperError. If the server reported the loss of the hold,
 * marks the lease as lost, unless this process has already released the hold.
 *
 * @throws `cause` unchanged if it is not an ApiError, which indicates a bug
 */
export function recordFailure(lease: HoldLease, cause: unknown): LockkeeperError {
  const error = toError(cause);
  if (!(error instanceof LostError)) return error;
  if (lease.state === "closed") return lease.createLoss("it was released", { cause });
  const { owner, fence } = lease.grant;
  lease.markLost(new LostError(error.message, { ...error.facts, key: lease.key, owner, fence }, { cause }));
  return lease.loss ?? error;
}

export function getRule({ code }: LockkeeperError): RetryRule {
  return isErrorCode(code) ? getRetryRule(code) : "unknown";
}

/** Converts an ApiError to a LockkeeperError. @throws any other error unchanged, because it indicates a bug */
export function toError(error: unknown): LockkeeperError {
  if (error instanceof ApiError) return toLockkeeperError(error);
  throw error;
}

/** @throws LockkeeperError, or the error unchanged if it is not an ApiError, which indicates a bug */
export function rethrow(error: unknown): never {
  throw toError(error);
}
