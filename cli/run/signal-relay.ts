import { constants } from "node:os";
import type { ProcessSession } from "./process-session.ts";

/** Signals that the supervisor forwards to the command. */
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** Signals that are ignored. Ctrl-Z (SIGTSTP) would stop the supervisor, which could then not renew the lease. */
const IGNORED = ["SIGTSTP"] as const;

/**
 * Forwards signals such as SIGINT and SIGTERM from this process to the command, and ignores SIGTSTP. Before the command
 * starts, a forwarded signal cancels the run instead.
 */
export class SignalRelay {
  readonly #interrupted = new AbortController();
  #session: ProcessSession | undefined;
  #received: NodeJS.Signals | undefined;
  readonly #handle = (name: NodeJS.Signals) => {
    if (this.#session !== undefined) return this.#session.signalFirstGroup(name);
    this.#received ??= name;
    this.#interrupted.abort();
  };
  readonly #ignore = () => undefined;

  constructor() {
    for (const name of FORWARDED) process.on(name, this.#handle);
    for (const name of IGNORED) process.on(name, this.#ignore);
  }

  /** Aborted by the first signal that arrives before the command has started. */
  get interrupted(): AbortSignal {
    return this.#interrupted.signal;
  }

  /**
   * Exit code for an interrupted run: 128 plus the number of the signal that arrived before the command had started.
   * `undefined` if no signal arrived before the start.
   */
  get exitCode(): number | undefined {
    return this.#received === undefined ? undefined : 128 + constants.signals[this.#received];
  }

  /** Forwards all signals that arrive from now on to the first process group of the session. */
  forwardTo(session: ProcessSession): void {
    this.#session = session;
  }

  stop(): void {
    for (const name of FORWARDED) process.off(name, this.#handle);
    for (const name of IGNORED) process.off(name, this.#ignore);
  }
}
