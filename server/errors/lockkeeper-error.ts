import type { LibraryErrorCode } from "../../lib/contract/error.ts";

/**
 * Base class for the errors that Lockkeeper reports to its callers. An error has a code from a closed set, a
 * human-readable message, and machine-readable facts. Each code has its own class, so that `instanceof` narrows the
 * type of `facts`.
 */
export abstract class LockkeeperError extends Error {
  abstract readonly code: LibraryErrorCode;
  /** Details about the error as plain JSON. Problem documents include these fields unchanged. */
  abstract readonly facts: object;

  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = new.target.name;
  }
}

export abstract class ErrorWithFacts<Facts extends object> extends LockkeeperError {
  constructor(
    detail: string,
    readonly facts: Readonly<Facts>,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

export abstract class ErrorWithoutFacts extends LockkeeperError {
  readonly facts: Readonly<Record<string, never>> = {};
}
