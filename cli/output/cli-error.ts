import type { ExitCode } from "./exit-codes.ts";

/** An error that the user can act on. It is printed without a stack trace, and the process exits with `exitCode`. */
export class CliError extends Error {
  override name = "CliError";

  constructor(
    message: string,
    readonly exitCode: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
