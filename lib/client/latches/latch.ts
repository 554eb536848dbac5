import { encodeKeyPath } from "../../keys/key.ts";
import type { ApiRequest } from "../api-transport.ts";
import { RefusedError, WaitTimeoutError } from "../errors.ts";
import { readField } from "../grant.ts";
import { toError } from "../lease-failure.ts";
import { type Connection, connections, type LockkeeperClient } from "../lockkeeper-client.ts";
import { assertOptions, assertType, assertWaitMs, createOptionError } from "../options.ts";
import { createIdempotencyKey, RETRY_MS, TIMEOUT_MS } from "../request-options.ts";
import { readAmount } from "../untrusted.ts";

/** Maximum wait of one request in ms. */
const WAIT_PART_MS_MAX = 55_000;

/** Options of `Latch.await`. */
export interface LatchWaitOptions {
  /** Maximum time to wait in milliseconds; Infinity by default. */
  readonly waitMs?: number | undefined;
  /** Signal that ends the wait with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
}

interface LatchState {
  readonly count: number;
  /** Time on the Redis clock at which the latch was read, in Unix milliseconds. */
  readonly asOf: number;
}

/** A count-down latch. Clients wait until its count is 0. A latch without a count is open. */
export class Latch {
  readonly #connection: Connection;

  /**
   * Creates a handle for the latch at a key. Sends no request.
   *
   * @throws InvalidError if `client` is not a LockkeeperClient or `key` is not a string
   */
  constructor(
    client: LockkeeperClient,
    readonly key: string,
  ) {
    const connection = connections.get(client);
    if (connection === undefined) throw createOptionError("client", "must be a LockkeeperClient");
    assertType(key, "string", "key");
    this.#connection = connection;
  }

  /**
   * Closes the latch by setting its count to a value from 1 to 1,000,000,000. Does nothing if the latch is already
   * closed.
   *
   * @returns whether the count was set; false if the latch was already closed
   * @throws NotALockError, KeyNotAllowedError, InvalidError, UnauthenticatedError, ForbiddenError, UnavailableError,
   * UnknownOutcomeError, RefusedError
   */
  async trySetCount(count: number): Promise<boolean> {
    assertType(count, "number", "count");
    try {
      await this.#change("PUT", this.#buildPath("?"), { count });
    } catch (error) {
      if (error instanceof RefusedError && error.code === "already_exists") return false;
      throw error;
    }
    return true;
  }

  /**
   * Decreases the count by one. At 0, the latch opens and all waiting clients continue.
   *
   * @returns the remaining count; 0 if the latch has opened or was already open
   * @throws the errors of `trySetCount`
   */
  async countDown(): Promise<number> {
    return (await this.#change("POST", this.#buildPath("/count-down?"))).count;
  }

  /** Reads the count, which is 0 if the latch is open. @throws the errors of `trySetCount` */
  async getCount(): Promise<number> {
    return (await this.#send(new LatchRead(this.#buildPath("?"), 0))).count;
  }

  /**
   * Waits until the latch is open. A wait of more than 55 s is split into several requests. The wait also ends if a
   * Lockkeeper client opened the latch and closed it again between two requests.
   *
   * @throws WaitTimeoutError after `waitMs`; AbortedError if `signal` aborts; and the errors of `trySetCount`
   */
  async await(options: LatchWaitOptions = {}): Promise<void> {
    assertOptions("await", { waitMs: "number", signal: "object" }, options);
    assertWaitMs(options);
    const { waitMs = Number.POSITIVE_INFINITY, signal } = options;
    const read = new LatchRead(this.#buildPath("?"), waitMs, signal);
    for (;;) {
      const { count, asOf } = await this.#send(read);
      if (count === 0) return;
      if (read.leftMs === 0) {
        const detail = `The latch ${this.key} is still closed with a count of ${count}.`;
        throw new WaitTimeoutError(detail, { key: this.key, holders: [], remainingMs: null, asOf });
      }
      read.openedAfter = asOf;
    }
  }

  #change(method: "PUT" | "POST", path: string, body?: { readonly count: number }): Promise<LatchState> {
    const limits = { retryForMs: RETRY_MS, timeoutMs: TIMEOUT_MS };
    return this.#send({ method, path, body, idempotencyKey: createIdempotencyKey(), ...limits });
  }

  /** @throws LockkeeperError */
  async #send(request: ApiRequest): Promise<LatchState> {
    try {
      const response = await this.#connection.transport.request(request);
      return {
        count: readField(response, "count", readAmount),
        asOf: readField(response, "asOf", readAmount),
      };
    } catch (error) {
      throw toError(error);
    }
  }

  /** @param end the part of the path that follows the key, including the `?` that starts the query */
  #buildPath(end: "?" | "/count-down?"): string {
    const { target } = this.#connection;
    const query = target === undefined ? "" : `target=${encodeURIComponent(target)}&`;
    return `/latches/${encodeKeyPath(this.key)}${end}${query}`;
  }
}

/**
 * A request that reads a latch or waits until it opens. The transport reads `path` and `timeoutMs` again for each
 * attempt, so that they reflect the remaining wait.
 */
class LatchRead implements ApiRequest {
  readonly method = "GET";
  /**
   * Redis time of the previous response, in Unix milliseconds. The wait also ends if the latch has been opened since
   * then.
   */
  openedAfter: number | undefined;
  readonly #path: string;
  readonly #deadline: number;

  /** @param path path with a query to which parameters can be appended */
  constructor(
    path: string,
    waitMs: number,
    readonly signal?: AbortSignal,
  ) {
    this.#path = path;
    this.#deadline = performance.now() + waitMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  get path(): string {
    const { openedAfter } = this;
    const since = openedAfter === undefined ? "" : `&openedAfter=${openedAfter}`;
    return `${this.#path}waitMs=${this.#partMs}${since}`;
  }

  /** Retries for the whole remaining wait, so that an unreachable server does not end the wait early. */
  get retryForMs(): number {
    return this.leftMs + RETRY_MS;
  }

  get timeoutMs(): number {
    return this.#partMs + TIMEOUT_MS;
  }

  get #partMs(): number {
    return Math.ceil(Math.min(this.leftMs, WAIT_PART_MS_MAX));
  }
}
