import type { ErrorCode } from "../../lib/contract/error.ts";

/** The one error of the server: a code of the closed set, a sentence for the reader, and its facts. */
export class LockkeeperError extends Error {
  override readonly name = "LockkeeperError";

  constructor(
    readonly code: ErrorCode,
    detail: string,
    readonly facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}
