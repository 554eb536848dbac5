/**
 * Receives the log entries of the library. A pino logger implements this interface, as does any object with these two
 * methods.
 *
 * Log entries never contain a password.
 */
export interface Logger {
  /** Logs each attempt of a `retry`. */
  debug(details: object, message: string): void;
  /** Logs failures that no caller receives, such as a failed release after the work has ended. */
  warn(details: object, message: string): void;
}
