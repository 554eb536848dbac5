/**
 * Why startup failed. `unreachable`: Redis does not respond. `unauthorized`: Redis refuses the credentials. `settings`:
 * any other cause, such as an invalid setting, a folder that is not writable or a port that is in use.
 */
export type StartupFault = "unreachable" | "unauthorized" | "settings";

/** An error at startup that the operator can fix. `message` is a single line and is printed without a stack trace. */
export class StartupError extends Error {
  override name = "StartupError";
  readonly fault: StartupFault;

  constructor(message: string, options: ErrorOptions & { readonly fault?: StartupFault } = {}) {
    const { fault = "settings", ...rest } = options;
    super(message, rest);
    this.fault = fault;
  }
}
