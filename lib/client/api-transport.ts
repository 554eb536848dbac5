import type { Moment } from "./moment.ts";

export { ApiError, type ApiErrorCode } from "./api-error.ts";

export interface ApiTransportOptions {
  /** Servers of the same Redis, such as `https://locks.example.com`, with the base path if they have one. */
  readonly urls: readonly string[];
  /** Sent as a bearer token. Absent for public routes. */
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query below `/api/v1`, such as `/locks?limit=10`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** The same for all attempts. Without it, a `POST` without a response is not repeated. */
  readonly idempotencyKey?: string | undefined;
  /** How long to retry, in milliseconds, not including `waitMs`; 0 for one attempt. */
  readonly retryForMs: number;
  /** Time limit of one attempt in milliseconds, not including `waitMs`. */
  readonly timeoutMs: number;
  /** How long the server may wait, in milliseconds; sent in the body, in parts of at most 55,000. `Infinity`: no limit. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body, unchecked; `undefined` if it is empty. */
  readonly value: unknown;
  /** Just before the attempt that succeeded was sent. */
  readonly sentAt: Moment;
  /** Number of attempts whose outcome is unknown. */
  readonly unansweredAttempts: number;
}

/** Sends requests to the API of one or several servers, and retries on the next server after a failure. */
export class ApiTransport {
  constructor(readonly options: ApiTransportOptions) {}

  /** Sends the request until it succeeds or `retryForMs` has passed. @throws ApiError */
  request(_request: ApiRequest): Promise<ApiResponse> {
    throw new Error("Not implemented.");
  }
}
