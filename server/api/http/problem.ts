import type { Problem } from "../../../lib/contract/error.ts";
import { HeldError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { NotReplicatedError, UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import {
  InternalError,
  MethodNotAllowedError,
  RateLimitedError,
  TooManyStreamsError,
  TooManyWaitingError,
  UnauthenticatedError,
} from "../../errors/request-errors.ts";
import type { ApiResponse } from "./http-exchange.ts";
import { buildRateLimitHeaders } from "./rate-limits.ts";

const HELD_RETRY_MS = 1000;

/** The one way from errors to HTTP: RFC 9457 documents. What is not ours never shows its message. */
export function toProblemResponse(thrown: unknown, requestId?: string): ApiResponse {
  const error = toLockkeeperError(thrown);
  return {
    status: error.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...buildHeaders(error),
    },
    body: JSON.stringify(buildProblem(error, requestId)),
  };
}

/** The document alone, as one of several in an answer. */
export function toProblem(thrown: unknown): Problem {
  return buildProblem(toLockkeeperError(thrown), undefined);
}

function buildProblem(error: LockkeeperError, requestId: string | undefined): Problem {
  const { code, status, title, message: detail, facts } = error;
  const type = `https://lockkeeper.dev/problems/${code}`;
  return { ...facts, type, title, status, code, detail, requestId };
}

function toLockkeeperError(thrown: unknown): LockkeeperError {
  return thrown instanceof LockkeeperError ? thrown : createInternalError(thrown);
}

function createInternalError(cause: unknown): InternalError {
  return new InternalError("This is a fault of Lockkeeper. The server's log has it under this request id.", {
    cause,
  });
}

function buildHeaders(error: LockkeeperError): Record<string, string> {
  if (error instanceof UnauthenticatedError) return { "www-authenticate": 'Bearer realm="lockkeeper"' };
  if (error instanceof MethodNotAllowedError) return { allow: error.facts.allowed };
  if (error instanceof TooManyStreamsError || error instanceof TooManyWaitingError) {
    return { "retry-after": "5" };
  }
  if (error instanceof RateLimitedError) return buildRateLimitedHeaders(error);
  if (error instanceof UnavailableError) return buildUnavailableHeaders(error);
  if (error instanceof UnknownOutcomeError || error instanceof NotReplicatedError) return buildRetryAfter(0);
  // Advice for short polling: when the lock becomes free is not known, because the holder may renew or release it.
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
  // The next request is to go to another server.
  return { ...buildRetryAfter(remainingMs), ...(reason === "stopping" ? { connection: "close" } : {}) };
}

function buildRetryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.max(1, Math.ceil(ms / 1000))) };
}
