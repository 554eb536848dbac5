import { startBackgroundTimer } from "./timers.ts";

/** A release request in a response or a message. */
export interface ReceivedReleaseRequest {
  readonly requestId: string;
  readonly reason: string;
  readonly requestedBy: string;
  readonly requestedAt: number;
  readonly state: "requested" | "accepted" | "refused";
}

/** An operator's request to release this hold. Answer it once. */
export interface ReleaseRequest {
  readonly requestId: string;
  /** Reason that the operator entered. */
  readonly reason: string;
  /** Operator or API key that sent the request. */
  readonly requestedBy: string;
  /** Redis clock, in Unix milliseconds. */
  readonly requestedAt: number;
  /**
   * Informs the operator that the hold will be released. Does not release the hold; release it when the work has
   * stopped.
   *
   * @param text message for the operator, up to 200 characters
   * @throws the errors of `renew`; an error with the code `changed` if the request was already refused or was replaced
   * by a newer request
   */
  accept(text?: string): Promise<void>;
  /**
   * Informs the operator that the hold is kept, and why.
   *
   * @param text message for the operator, up to 200 characters
   * @throws the errors of `accept`
   */
  refuse(text: string): Promise<void>;
}

export type ReleaseRequestListener = (request: ReleaseRequest) => unknown;

/** The API calls that the inbox of a hold makes. */
export interface ReleaseRequestCommands {
  /**
   * Declares that this client reads release requests. Rejects if the declaration failed.
   *
   * @returns the current request
   */
  declare(): Promise<ReceivedReleaseRequest | undefined>;
  answer(requestId: string, answer: "accepted" | "refused", text: string | undefined): Promise<void>;
  /** Whether to retry `declare` after this error. */
  shouldRetry(error: unknown): boolean;
}

const RETRY_MS = 1000;

/** Passes each release request of a hold to the listener once. */
export class ReleaseRequestInbox {
  #commands: ReleaseRequestCommands | undefined;
  #listener: ReleaseRequestListener | undefined;
  #lastId: string | undefined;

  /** Sets the commands. Call it before `listen`. */
  connect(commands: ReleaseRequestCommands): void {
    this.#commands = commands;
  }

  /** Replaces the listener. The first one declares that this client reads release requests. */
  listen(listener: ReleaseRequestListener): void {
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    if (isFirst && this.#commands !== undefined) void this.#declare(this.#commands);
  }

  /** Passes a request to the listener, unless the request was already passed or answered. */
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
 * Calls a listener of the application. As with event listeners, an error that it throws is reported as uncaught, and the
 * caller continues.
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
