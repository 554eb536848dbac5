/**
 * Receives the log entries of the library. A pino logger implements this interface, as does any object with these two
 * methods.
 *
 * Log entries never contain a password.
 */
export interface Logger {
  /** Called for each attempt of an acquire that sets `retry`. */
  debug(details: object, message: string): void;
  /** Called when the release after the work fails, and when a hold was lost before its work finished. */
  warn(details: object, message: string): void;
}
