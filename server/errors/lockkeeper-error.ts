import type { LibraryErrorCode } from "../../lib/contract/error.ts";

/**
 * The base of every error: a code from a closed set, a sentence for the reader, and facts for the program. Each code has
 * a class of its own, so `instanceof` narrows the type of `facts`.
 */
export abstract class LockkeeperError extends Error {
  abstract readonly code: LibraryErrorCode;
  /** Plain JSON. A problem document has these fields as they are. */
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
