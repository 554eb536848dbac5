/**
 * Receives what the library reports. A pino logger satisfies it; so does any object with these two methods.
 *
 * Nothing that the library passes contains a password.
 */
export interface Logger {
  /** Each try of a `retry`. */
  debug(details: object, message: string): void;
  /** Failures that no caller receives, such as a release that failed after the work had ended. */
  warn(details: object, message: string): void;
}
