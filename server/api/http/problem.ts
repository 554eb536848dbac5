import {
  buildProblem,
  type ErrorCode,
  type Problem,
  type ProblemContent,
  STATUS_OF_CODE,
} from "../../../lib/contract/error.ts";
import { AbortedError, HeldError, QueueFullError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { NotReplicatedError, UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import {
  InternalError,
  MethodNotAllowedError,
  QuotaExceededError,
  RateLimitedError,
  TooManyStreamsError,
  TooManyWaitingError,
  UnauthenticatedError,
} from "../../errors/request-errors.ts";
import type { ApiResponse } from "./http-exchange.ts";
import { buildRateLimitHeaders } from "./rate-limits.ts";

const HELD_RETRY_MS = 1000;
const CROWDED_RETRY_MS = 5000;
/** The status that nginx logs for a request whose client disconnected. No client receives it. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Creates the response to a failed request, with a problem document (RFC 9457) as its body. The response to an
 * `AbortedError` has no body, because the client has disconnected. The message of an error that is not a
 * `LockkeeperError` is never sent.
 *
 * @param basePath the path at which the server is mounted; "" at the root of its host
 */
export function toProblemResponse(thrown: unknown, basePath: string, requestId?: string): ApiResponse {
  if (thrown instanceof AbortedError) return { status: CLIENT_CLOSED_REQUEST, headers: {} };
  const error = toSentError(thrown);
  return {
    status: STATUS_OF_CODE[error.code],
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...buildHeaders(error),
    },
    body: JSON.stringify(buildProblem({ requestId, ...toContent(error) }, basePath)),
  };
}

/** Creates a problem document without a request id, for a response that contains several problem documents. */
export function toProblem(thrown: unknown, basePath: string): Problem {
  return buildProblem({ requestId: undefined, ...toContent(toSentError(thrown)) }, basePath);
}

function toContent({ code, message: detail, facts }: SentError): Omit<ProblemContent, "requestId"> {
  return { code, detail, facts };
}

/** An error whose code can be sent to a client, which excludes `aborted`. */
type SentError = LockkeeperError & { readonly code: ErrorCode };

function isSent(error: LockkeeperError): error is SentError {
  return error.code !== "aborted";
}

function toSentError(thrown: unknown): SentError {
  return thrown instanceof LockkeeperError && isSent(thrown) ? thrown : createInternalError(thrown);
}

function createInternalError(cause: unknown): InternalError {
  return new InternalError(
    "This is a bug in Lockkeeper. The server's log has the cause under this request ID.",
    {
      cause,
    },
  );
}

function buildHeaders(error: LockkeeperError): Record<string, string> {
  if (error instanceof UnauthenticatedError) return { "www-authenticate": 'Bearer realm="lockkeeper"' };
  if (error instanceof MethodNotAllowedError) return { allow: error.facts.allowed };
  if (
    error instanceof TooManyStreamsError ||
    error instanceof TooManyWaitingError ||
    error instanceof QueueFullError ||
    error instanceof QuotaExceededError
  ) {
    return buildRetryAfter(CROWDED_RETRY_MS);
  }
  if (error instanceof RateLimitedError) return buildRateLimitedHeaders(error);
  if (error instanceof UnavailableError) return buildUnavailableHeaders(error);
  if (error instanceof UnknownOutcomeError || error instanceof NotReplicatedError) return buildRetryAfter(0);
  // A fixed interval for polling clients, because it is not known when the lock becomes free. The holder may renew or
  // release it.
  return error instanceof HeldError || error instanceof WaitTimeoutError
    ? buildRetryAfter(HELD_RETRY_MS)
    : {};
}

function buildRateLimitedHeaders({ facts }: RateLimitedError): Record<string, string> {
  const { remainingMs, perSecond, burst, per } = facts;
  const isOfRequests = perSecond !== undefined && burst !== undefined && per !== undefined;
  const more = isOfRequests ? buildRateLimitHeaders({ perSecond, burst }, per, 0, remainingMs) : {};
  return { ...buildRetryAfter(remainingMs), ...more };
}

function buildUnavailableHeaders({
  facts: { reason, remainingMs = 0 },
}: UnavailableError): Record<string, string> {
  // A stopping server closes the connection, so that the client's next request can reach another instance.
  return { ...buildRetryAfter(remainingMs), ...(reason === "stopping" ? { connection: "close" } : {}) };
}

function buildRetryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.max(1, Math.ceil(ms / 1000))) };
}
