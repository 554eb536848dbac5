/**
 * Exit codes of `lockkeeper`, the same for every command. `run` returns the exit code of the command that it ran instead,
 * or 128 plus the number of the signal that ended it. The codes of Lockkeeper itself are in a range that programs rarely
 * use, as in timeout(1).
 */
export const EXIT_CODES = {
  success: 0,
  /** The question was answered with no: no such lock, a broken audit chain, a finding of `doctor`. */
  negative: 1,
  /** The lock was held by another client for the whole `--wait`. */
  held: 120,
  /** The lock was lost while the command ran. */
  lost: 121,
  /** The server or Redis could not be reached, or the outcome is unknown. */
  unavailable: 122,
  /** The API key is missing, wrong or expired, or lacks the permission. */
  unauthorized: 123,
  /** The server refused the request, for example because the lock has changed since it was shown. */
  refused: 124,
  /** Wrong usage, or an error that no other code describes. */
  failure: 125,
  /** The command of `run` cannot be executed. */
  notExecutable: 126,
  /** The command of `run` was not found. */
  notFound: 127,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
