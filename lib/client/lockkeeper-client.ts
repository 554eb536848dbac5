import type { Hold } from "./hold.ts";
import type { AcquireOptions } from "./hold-options.ts";

export interface LockkeeperClientOptions {
  /** One or several servers of the same Redis, such as `https://locks.example.com`. */
  readonly url: string | readonly string[];
  readonly apiKey: string;
  /** Name of the target; the first target of the server by default. */
  readonly target?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called for errors in the background: failed renewals, and failed releases of `withLock`. */
  readonly onError?: ((error: Error) => void) | undefined;
}

type Work<Result> = (hold: Hold) => Promise<Result> | Result;

/** Acquires locks through the HTTP API of Lockkeeper, and handles retries, renewal and loss. */
export class LockkeeperClient {
  constructor(readonly options: LockkeeperClientOptions) {}

  /** Acquires a lock. If it is held, even by this client, the call is refused or waits. @throws HeldError, … */
  acquire(_key: string, _options: AcquireOptions = {}): Promise<Hold> {
    throw new Error("Not implemented.");
  }

  /** Runs the work while holding the lock, and releases it afterwards. */
  withLock<Result>(key: string, work: Work<Result>): Promise<Result>;
  withLock<Result>(key: string, options: AcquireOptions, work: Work<Result>): Promise<Result>;
  withLock<Result>(
    _key: string,
    _optionsOrWork: AcquireOptions | Work<Result>,
    _maybeWork?: Work<Result>,
  ): Promise<Result> {
    throw new Error("Not implemented.");
  }
}
