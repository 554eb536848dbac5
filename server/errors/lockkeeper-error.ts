import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../../lib/contract/error.ts";

/**
 * What every failure is: a code of the closed set, a sentence for the reader, and facts for the program. Each code
 * has a class of its own below, so that `instanceof` tells both which failure it is and what it carries.
 */
export abstract class LockkeeperError extends Error {
  abstract readonly code: ErrorCode;
  /** Plain JSON; an answer over HTTP carries it as it is. */
  abstract readonly facts: object;

  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = new.target.name;
  }

  get status(): number {
    return STATUS_OF_CODE[this.code];
  }

  get title(): string {
    return TITLE_OF_CODE[this.code];
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
