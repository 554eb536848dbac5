/** An error at startup that the operator can fix. `message` is a single line, printed without a stack trace. */
export class StartupError extends Error {
  override name = "StartupError";
}
