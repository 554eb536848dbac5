import { startBackgroundTimer } from "./timers.ts";

/** A release request as received from the server. */
export interface ReceivedReleaseRequest {
  readonly requestId: string;
  readonly reason: string;
  readonly requestedBy: string;
  readonly requestedAt: number;
  readonly state: "requested" | "accepted" | "refused";
}

/** An operator's request to release a hold, as passed to the listener. Call `accept` or `refuse` once. */
export interface ReleaseRequest {
  readonly requestId: string;
  /** Reason that the operator entered. */
  readonly reason: string;
  /** Operator or API key that sent the request. */
  readonly requestedBy: string;
  /** Time of the request on the Redis clock, in Unix milliseconds. */
  readonly requestedAt: number;
  /**
   * Informs the operator that the hold will be released. Does not release the hold. Release the hold when the work has
   * stopped.
   *
   * @param text message for the operator, up to 200 characters
   * @throws the errors of `renew`; a RefusedError with the code `changed` if the request already has another answer or
   * a newer request has replaced it
   */
  accept(text?: string): Promise<void>;
  /**
   * Informs the operator that the hold will not be released, and why.
   *
   * @param text message for the operator, up to 200 characters
   * @throws the errors of `accept`
   */
  refuse(text: string): Promise<void>;
}

export type ReleaseRequestListener = (request: ReleaseRequest) => unknown;

/** The API calls that a `ReleaseRequestInbox` makes. */
export interface ReleaseRequestCommands {
  /**
   * Declares to the server that this client reads release requests. Rejects if the declaration fails and could succeed
   * later.
   *
   * @returns the current release request; `undefined` if there is no request or the server refused the declaration
   */
  declare(): Promise<ReceivedReleaseRequest | undefined>;
  answer(requestId: string, answer: "accepted" | "refused", text: string | undefined): Promise<void>;
  /** Returns whether to retry `declare` after this error. */
  shouldRetry(error: unknown): boolean;
}

const RETRY_MS = 1000;

/** Passes each release request for a hold to the listener once. */
export class ReleaseRequestInbox {
  #commands: ReleaseRequestCommands | undefined;
  #listener: ReleaseRequestListener | undefined;
  #lastId: string | undefined;

  /** Sets the functions that call the API for the hold. Must be called before `listen`. */
  connect(commands: ReleaseRequestCommands): void {
    this.#commands = commands;
  }

  /** Sets or replaces the listener. The first call declares to the server that this client reads release requests. */
  listen(listener: ReleaseRequestListener): void {
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    if (isFirst && this.#commands !== undefined) void this.#declare(this.#commands);
  }

  /** Passes an unanswered request to the listener, at most once. Without a listener, ignores the request. */
  receive(request: ReceivedReleaseRequest | undefined): void {
    if (request?.state !== "requested" || request.requestId === this.#lastId) return;
    const [listener, commands] = [this.#listener, this.#commands];
    if (listener === undefined || commands === undefined) return;
    const { requestId, reason, requestedBy, requestedAt } = request;
    this.#lastId = requestId;
    callListener(listener, {
      ...{ requestId, reason, requestedBy, requestedAt },
      accept: (text) => commands.answer(requestId, "accepted", text),
      refuse: (text) => commands.answer(requestId, "refused", text),
    });
  }

  async #declare(commands: ReleaseRequestCommands): Promise<void> {
    try {
      this.receive(await commands.declare());
    } catch (error) {
      if (commands.shouldRetry(error)) startBackgroundTimer(() => void this.#declare(commands), RETRY_MS);
    }
  }
}

/**
 * Calls an application's listener. If the listener throws, this function returns normally, and a microtask rethrows the
 * error as an uncaught error.
 */
export function callListener<Value>(listener: ((value: Value) => unknown) | undefined, value: Value): void {
  try {
    listener?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
