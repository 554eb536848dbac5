import type { LibraryErrorCode, Problem } from "../../lib/contract/error.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";
import type { ServerConnection } from "./choose-connection.ts";

/** Exit codes by problem code. A problem code that is not listed exits with `failure`. */
const EXIT_CODE_OF: Partial<Record<LibraryErrorCode, ExitCode>> = {
  unauthenticated: EXIT_CODES.unauthorized,
  forbidden: EXIT_CODES.unauthorized,
  not_owner: EXIT_CODES.unauthorized,
  api_key_inactive: EXIT_CODES.unauthorized,
  held: EXIT_CODES.held,
  timeout: EXIT_CODES.held,
  deadlock: EXIT_CODES.held,
  queue_full: EXIT_CODES.held,
  lost: EXIT_CODES.lost,
  read_only: EXIT_CODES.refused,
  not_a_lock: EXIT_CODES.refused,
  unit_conflict: EXIT_CODES.refused,
  kind_conflict: EXIT_CODES.refused,
  limit_conflict: EXIT_CODES.refused,
  changed: EXIT_CODES.refused,
  unverified: EXIT_CODES.refused,
  key_not_allowed: EXIT_CODES.refused,
  reason_required: EXIT_CODES.refused,
  format_required: EXIT_CODES.refused,
  confirm_required: EXIT_CODES.refused,
  quota_exceeded: EXIT_CODES.refused,
  idempotency_key_reused: EXIT_CODES.refused,
  request_timeout: EXIT_CODES.unavailable,
  rate_limited: EXIT_CODES.unavailable,
  too_many_waiting: EXIT_CODES.unavailable,
  too_many_streams: EXIT_CODES.unavailable,
  internal: EXIT_CODES.unavailable,
  unavailable: EXIT_CODES.unavailable,
  not_replicated: EXIT_CODES.unavailable,
  unknown_outcome: EXIT_CODES.unavailable,
};

/** Returns the exit code for a problem that a server reports. */
export function getProblemExitCode(code: LibraryErrorCode): ExitCode {
  return EXIT_CODE_OF[code] ?? EXIT_CODES.failure;
}

/**
 * Converts a problem document to a CLI error. The message is the server's `detail`. For `unverified`, a hint to add
 * `--release-unverified` follows. For `unauthenticated`, the message explains how to set or replace the API key
 * instead.
 */
export function explainProblem(
  { code, detail }: Pick<Problem, "code" | "detail">,
  { apiKey, url }: Pick<ServerConnection, "apiKey" | "url">,
): CliError {
  const exitCode = getProblemExitCode(code);
  if (code === "unverified") {
    const remedy =
      "On the command line: add --release-unverified. This happens to every lock without a fencing token while Redis sends no keyspace notifications; `lockkeeper doctor` shows how to enable them.";
    return new CliError(`${toPrintable(detail)} ${remedy}`, exitCode);
  }
  if (code !== "unauthenticated") return new CliError(toPrintable(detail), exitCode);
  const what =
    apiKey === undefined
      ? "No API key given. Set LOCKKEEPER_API_KEY or --api-key-file FILE."
      : "The API key is wrong, expired or revoked. Create another one in the console under Settings, API keys.";
  return new CliError(`${url} refuses the request. ${what}`, exitCode);
}
