/** A reason not to start that the operator can act on: `message` is one line, printed without a stack. */
export class StartupError extends Error {
  override name = "StartupError";
}
