/**
 * Exit codes of `lockkeeper`, the same for every command. If the lock was held until the command of `run` ended, `run`
 * exits with the exit code of the command, or with 128 plus the number of the signal that ended the command. Like those
 * of timeout(1), Lockkeeper's own codes for failures are just below 128, a range that programs rarely use.
 */
export const EXIT_CODES = {
  success: 0,
  /**
   * The result is negative: the lock is free, the audit chain is broken, `doctor` found a serious risk, or the user
   * declined.
   */
  negative: 1,
  /**
   * The lock was held by another client for the whole `--wait`, or the wait was refused because of a deadlock or a full
   * queue.
   */
  held: 120,
  /** The lock was lost, or its lease was about to end, before the command had exited. */
  lost: 121,
  /** The server or Redis could not be reached, or the outcome is unknown. */
  unavailable: 122,
  /** The API key is missing, wrong or expired, or lacks a permission; or Redis refused the credentials. */
  unauthorized: 123,
  /** The request was refused, for example because the lock has changed since it was shown. */
  refused: 124,
  /** Usage error, or an error without a code of its own. */
  failure: 125,
  /** The command of `run` cannot be executed. */
  notExecutable: 126,
  /** The command of `run` was not found. */
  notFound: 127,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** The meaning of each exit code, for the command-line reference. */
export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  success: "Success. For `run`: the exit code of the command.",
  negative:
    "The answer is negative: the lock is free, the audit chain is broken, `doctor` found a serious risk, or you declined.",
  held: "`run`: the lock was held by another client for the whole `--wait`, its queue is full, or the wait was refused because of a deadlock.",
  lost: "`run`: the lock was lost while the command ran.",
  unavailable:
    "The server or Redis could not be reached, a proxy could not reach it, or the outcome is unknown.",
  unauthorized:
    "The API key is missing, wrong or expired, or lacks the permission. Or Redis refuses the credentials.",
  refused:
    "The request was refused: the lock has changed since it was shown, the key is not a lock, the target is read-only.",
  failure:
    "Usage error, a wrong address, a server that is too old, a port in use, a full disk, or an error that no other code describes.",
  notExecutable: "`run`: the command cannot be executed.",
  notFound: "`run`: the command was not found.",
};
