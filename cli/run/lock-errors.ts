import { ERROR_CODES } from "../../lib/contract/error.ts";
import { getProblemExitCode } from "../connection/explain-problem.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";
import { readCode } from "./wait-for-lock.ts";

/** Converts an error from a lock client to a `CliError` if its `code` is known. Returns other errors unchanged. */
export function explainLockError(error: unknown): unknown {
  const code = readCode(error);
  if (!(error instanceof Error)) return error;
  const message = toPrintable(error.message);
  // The response came from something other than Lockkeeper.
  if (code === "unexpected_response") return new CliError(message, EXIT_CODES.unavailable);
  const known = ERROR_CODES.find((each) => each === code);
  return known === undefined ? error : new CliError(message, getProblemExitCode(known));
}
