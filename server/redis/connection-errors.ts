import { AsyncLocalStorage } from "node:async_hooks";
import type { Redis } from "ioredis";

interface Attempt {
  isReached: boolean;
  lastError: unknown;
}

/**
 * Records the connections that are opened while `record` runs: the addresses that were reached, and the last error of
 * each address that was not reached. A timeout error does not contain this information.
 */
export class ConnectionErrors {
  /**
   * The current recording. Disabled while no recording is in progress, because Node 20 and 22 track every promise of
   * the process while an AsyncLocalStorage is enabled.
   */
  static readonly #current = new AsyncLocalStorage<ConnectionErrors>();
  static #recording = 0;
  readonly #attempts = new Map<string, Attempt>();
  #isRecording = true;

  /** Runs `open`, and records the connections that `open` creates until its promise settles. */
  static async record<Result>(open: (errors: ConnectionErrors) => Promise<Result>): Promise<Result> {
    const errors = new ConnectionErrors();
    ConnectionErrors.#recording++;
    try {
      return await ConnectionErrors.#current.run(errors, () => open(errors));
    } finally {
      // The context outlives this call. Without this flag, connections opened later would be recorded too.
      errors.#isRecording = false;
      if (--ConnectionErrors.#recording === 0) ConnectionErrors.#current.disable();
    }
  }

  /**
   * Adds a new connection to the current recording. Has no effect if there is no recording.
   *
   * @param label the label of the connection's address, safe to print
   */
  static watch(redis: Redis, label: string): void {
    ConnectionErrors.#current.getStore()?.watchConnection(redis, label);
  }

  get attempted(): number {
    return this.#attempts.size;
  }

  /** Number of addresses that have been reached. */
  get reached(): number {
    return [...this.#attempts.values()].filter(({ isReached }) => isReached).length;
  }

  /**
   * Returns the reasons for all failures on one line, or "no answer" if there are no failures. Each reason is preceded
   * by its address if the reasons differ or some addresses were reached.
   */
  describe(): string {
    const unreached = [...this.#attempts].filter(([, { isReached }]) => !isReached);
    const reasons = unreached.map(([label, { lastError }]) => {
      const address = formatAddress(label);
      // The address in "connect ECONNREFUSED 10.0.0.1:6379" is redundant unless the label contains a host name.
      return [address, describeConnectionError(lastError).replace(` ${address}`, "")] as const;
    });
    const [first, ...others] = reasons;
    if (first === undefined) return NO_ANSWER;
    if (this.reached === 0 && others.every(([, reason]) => reason === first[1])) return first[1];
    return reasons.map(([address, reason]) => `${address}: ${reason}`).join("; ");
  }

  private watchConnection(redis: Redis, label: string): void {
    if (!this.#isRecording) return;
    const attempt = this.#attempts.get(label) ?? { isReached: false, lastError: undefined };
    this.#attempts.set(label, attempt);
    const record = (error: unknown) => {
      attempt.lastError = error;
      if (!this.#isRecording) redis.off("error", record);
    };
    redis.on("error", record);
    redis.once("ready", () => {
      attempt.isReached = true;
      redis.off("error", record);
    });
  }
}

const NO_ANSWER = "no answer";

/**
 * Describes why a connection failed, such as "connect ECONNREFUSED 10.0.0.1:6379". Print this string and never the
 * error itself. The error of a refused AUTH contains the password as an argument of the command, and a server that does
 * not support AUTH repeats the arguments in its message.
 */
export function describeConnectionError(error: unknown): string {
  // If a host name has several addresses, the error contains one error per address.
  if (error instanceof AggregateError) return describeConnectionError(error.errors[0]);
  if (!(error instanceof Error)) return NO_ANSWER;
  return error.message.replace(/, with args beginning with: .*$/s, "").replace(/\.$/, "");
}

/** Returns the label of an address without its database: `host:port`, or the path of a socket. */
export function formatAddress(label: string): string {
  return label.replace(/(\/| db )\d+$/, "");
}
