import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../../lib/contract/error.ts";
import { LockkeeperError } from "../locks/errors.ts";
import type { ApiResponse } from "./http.ts";

/** The one map from errors to HTTP: RFC 9457 documents. What is not ours never shows its message. */
export function problemOf(error: unknown, requestId: string): ApiResponse {
  if (error instanceof LockkeeperError) return problem(error.code, error.message, error.facts, requestId);
  return problem(
    "internal",
    "This is a fault of Lockkeeper. The server's log has it under this request id.",
    {},
    requestId,
  );
}

function problem(
  code: ErrorCode,
  detail: string,
  facts: Readonly<Record<string, unknown>>,
  requestId: string,
): ApiResponse {
  const status = STATUS_OF_CODE[code];
  const document = {
    ...facts,
    type: `https://lockkeeper.dev/problems/${code}`,
    title: TITLE_OF_CODE[code],
    status,
    code,
    detail,
    requestId,
  };
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...headersOf(code, facts),
    },
    body: JSON.stringify(document),
  };
}

function headersOf(code: ErrorCode, facts: Readonly<Record<string, unknown>>): Record<string, string> {
  if (code === "unauthenticated") return { "www-authenticate": 'Bearer realm="lockkeeper"' };
  if (code === "method_not_allowed") return { allow: String(facts.allowed) };
  if (code === "unavailable" || code === "unknown_outcome") return { "retry-after": "1" };
  if (code !== "held" || typeof facts.remainingMs !== "number") return {};
  return { "retry-after": String(Math.max(1, Math.ceil(facts.remainingMs / 1000))) };
}
