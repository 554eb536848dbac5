import type { Problem } from "../../../lib/contract/error.ts";
import { HeldError } from "../../errors/lock-errors.ts";
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
import { rateLimitHeaders } from "./rate-limits.ts";

/** The one way from errors to HTTP: RFC 9457 documents. What is not ours never shows its message. */
export function problemOf(thrown: unknown, requestId?: string): ApiResponse {
  const error = errorOf(thrown);
  return {
    status: error.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...headersOf(error),
    },
    body: JSON.stringify(documentOf(error, requestId)),
  };
}

/** The document alone, as one of several in an answer. */
export function problemDocument(thrown: unknown): Problem {
  return documentOf(errorOf(thrown), undefined);
}

function documentOf(error: LockkeeperError, requestId: string | undefined): Problem {
  const { code, status, title, message: detail, facts } = error;
  const type = `https://lockkeeper.dev/problems/${code}`;
  return { ...facts, type, title, status, code, detail, requestId };
}

function errorOf(thrown: unknown): LockkeeperError {
  return thrown instanceof LockkeeperError ? thrown : faultOfOurs(thrown);
}

function faultOfOurs(cause: unknown): InternalError {
  return new InternalError("This is a fault of Lockkeeper. The server's log has it under this request id.", {
    cause,
  });
}

function headersOf(error: LockkeeperError): Record<string, string> {
  if (error instanceof UnauthenticatedError) return { "www-authenticate": 'Bearer realm="lockkeeper"' };
  if (error instanceof MethodNotAllowedError) return { allow: error.facts.allowed };
  if (error instanceof TooManyStreamsError || error instanceof TooManyWaitingError) {
    return { "retry-after": "5" };
  }
  if (error instanceof RateLimitedError) return rateLimited(error);
  if (error instanceof UnavailableError) return unavailable(error);
  if (error instanceof UnknownOutcomeError || error instanceof NotReplicatedError) return retryAfter(0);
  if (!(error instanceof HeldError) || error.facts.remainingMs === null) return {};
  return retryAfter(error.facts.remainingMs);
}

function rateLimited({ facts }: RateLimitedError): Record<string, string> {
  const { remainingMs, perSecond, burst, per } = facts;
  const isOfRequests = perSecond !== undefined && burst !== undefined && per !== undefined;
  const more = isOfRequests ? rateLimitHeaders({ perSecond, burst }, per, 0, remainingMs) : {};
  return { ...retryAfter(remainingMs), ...more };
}

function unavailable({ facts: { reason, remainingMs = 0 } }: UnavailableError): Record<string, string> {
  // The next request is to go to another server.
  return { ...retryAfter(remainingMs), ...(reason === "stopping" ? { connection: "close" } : {}) };
}

function retryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.max(1, Math.ceil(ms / 1000))) };
}
