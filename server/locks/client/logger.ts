/**
 * Receives the log entries of the library. A pino logger implements this interface, as does any object with these two
 * methods.
 *
 * Log entries never contain a password.
 */
export interface Logger {
  /** Logs each attempt of a `retry`. */
  debug(details: object, message: string): void;
  /** Logs a failed release after the work has ended, and the loss of a hold before its work ended. */
  warn(details: object, message: string): void;
}
