import type { LockkeeperError } from "../../server/errors/lockkeeper-error.ts";
import { StartupError } from "../../server/errors/startup-error.ts";
import { CliError } from "./cli-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { toPrintable } from "./printable.ts";

const EXIT_CODE_OF_FAULT = {
  unreachable: EXIT_CODES.unavailable,
  unauthorized: EXIT_CODES.unauthorized,
  settings: EXIT_CODES.failure,
} as const;

/** Converts an error thrown by server code in this process to a `CliError`. */
export function explainLocalError(error: StartupError | LockkeeperError): CliError {
  if (error instanceof StartupError)
    return new CliError(toPrintable(error.message), EXIT_CODE_OF_FAULT[error.fault], { cause: error });
  const isUnavailable = error.code === "unavailable" || error.code === "unknown_outcome";
  const exitCode =
    error.code === "not_a_lock"
      ? EXIT_CODES.refused
      : isUnavailable
        ? EXIT_CODES.unavailable
        : EXIT_CODES.failure;
  return new CliError(toPrintable(error.message), exitCode, { cause: error });
}
