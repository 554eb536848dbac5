import { getGeneralCode, isErrorCode, type ProblemCode } from "./failure-rules.ts";
import { readText, toPrintable } from "./untrusted.ts";

/**
 * The code of an API error: the code from a problem document, or one of two client-side codes. `aborted`: the caller's
 * signal was aborted. `unexpected_response`: the server did not return a valid Lockkeeper response, for example because
 * the URL is wrong.
 */
export type ApiErrorCode = ProblemCode | "aborted" | "unexpected_response";

/** A problem document whose members have not been validated. */
export type ProblemDocument = Readonly<Record<string, unknown>>;

export interface ApiFailure {
  readonly code: ApiErrorCode;
  /** Text that states what failed, why, and what to do. Contains no control characters. */
  readonly detail: string;
  /** HTTP status of the response to the last attempt; `undefined` if there was no response. */
  readonly status?: number | undefined;
  readonly problem?: ProblemDocument | undefined;
  /** Number of attempts whose outcome is unknown. The server may have carried them out, or may do so later. */
  readonly unansweredAttempts?: number;
}

/**
 * Converts a problem document to an `ApiFailure`. A code that this version of the client does not know is replaced with
 * the general code for the HTTP status.
 */
export function readProblem(problem: ProblemDocument, status: number): ApiFailure {
  const code = isErrorCode(problem.code) ? problem.code : getGeneralCode(status);
  const detail = readText(problem.detail) ?? readText(problem.title) ?? code;
  return { code, detail: toPrintable(detail), status, problem };
}

/**
 * Thrown if a request fails and is not retried any further, if a required field of a response is missing or malformed,
 * if a URL is missing or malformed, or if the API key is malformed.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  readonly detail: string;
  /** HTTP status of the response to the last attempt; `undefined` if there was no response. */
  readonly status: number | undefined;
  /**
   * The problem document in the response to the last attempt, with unvalidated members; `undefined` if there was none.
   */
  readonly problem: ProblemDocument | undefined;
  /** Number of attempts whose outcome is unknown. The server may have carried them out, or may do so later. */
  readonly unansweredAttempts: number;

  constructor({ code, detail, status, problem, unansweredAttempts = 0 }: ApiFailure, options?: ErrorOptions) {
    super(detail, options);
    this.code = code;
    this.detail = detail;
    this.status = status;
    this.problem = problem;
    this.unansweredAttempts = unansweredAttempts;
  }
}
