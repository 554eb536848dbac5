import type { ProblemCode } from "./failure-rules.ts";

/** A code of a problem document. `aborted`: the caller's signal was aborted. `unexpected_response`: the response did not come from Lockkeeper, for example because the URL is wrong. */
export type ApiErrorCode = ProblemCode | "aborted" | "unexpected_response";

/** A problem document. It is an object, but its members are unchecked. */
export type ProblemDocument = Readonly<Record<string, unknown>>;

export interface ApiFailure {
  readonly code: ApiErrorCode;
  /** What failed, why, and what to do. Contains no control characters. */
  readonly detail: string;
  /** HTTP status of the last response; `undefined` if there was none. */
  readonly status?: number | undefined;
  readonly problem?: ProblemDocument | undefined;
  /** Number of attempts whose outcome is unknown. They may be carried out later. */
  readonly unansweredAttempts?: number;
}

/** A request that failed after all retries. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly detail: string;
  /** HTTP status of the last response; `undefined` if there was none. */
  readonly status: number | undefined;
  /** The problem document of the last response. Its members are untrusted. */
  readonly problem: ProblemDocument | undefined;
  /** Number of attempts whose outcome is unknown. They may be carried out later. */
  readonly unansweredAttempts: number;

  constructor(failure: ApiFailure, options?: ErrorOptions) {
    super(failure.detail, options);
    this.name = "ApiError";
    this.code = failure.code;
    this.detail = failure.detail;
    this.status = failure.status;
    this.problem = failure.problem;
    this.unansweredAttempts = failure.unansweredAttempts ?? 0;
  }
}
