import { type FailedAttempt, sendAttempt } from "./api-attempt.ts";
import { ApiError } from "./api-error.ts";
import { normalizeUrl } from "./api-url.ts";
import type { Moment } from "./moment.ts";
import { sleep } from "./timers.ts";

export interface ApiTransportOptions {
  /**
   * URLs of one or more servers that use the same Redis, such as `https://locks.example.com`, including the base path,
   * if any.
   */
  readonly urls: readonly string[];
  /** Sent as a bearer token. Absent for public routes. */
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * A request to the API. Each attempt reads `path`, `body` and `timeoutMs` again, so getters can change them between
 * attempts.
 */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query below `/api/v1`, such as `/locks?limit=10`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Idempotency key sent with every attempt. Without a key, a `POST` whose outcome is unknown is not retried. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Time in milliseconds for which failures are retried, in addition to `waitMs`. Without `waitMs`, 0 disables retries.
   */
  readonly retryForMs: number;
  /** Timeout of each attempt in milliseconds, in addition to the requested wait. */
  readonly timeoutMs: number;
  /**
   * Time in milliseconds for which the server waits for the lock; `Infinity` for no limit. Sent in the body. A wait of
   * more than 55,000 ms is split into several requests.
   */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body, not validated; `undefined` if the body is empty. */
  readonly value: unknown;
  /** Moment just before the successful attempt was sent. */
  readonly sentAt: Moment;
  /** Number of earlier attempts whose outcome is unknown. */
  readonly unansweredAttempts: number;
}

/**
 * Maximum wait of one request, in ms. The next request of a longer wait has the same idempotency key, so the client
 * keeps its place in the queue.
 */
const WAIT_PART_MS_MAX = 55_000;
const PAUSE_MS_MIN = 20;
const PAUSE_MS_MAX = 300;

/** Sends requests to the API of one or more servers, and retries on the next server after a failure. */
export class ApiTransport {
  readonly #urls: readonly string[];
  readonly #apiKey: string | undefined;
  readonly #fetch: typeof fetch | undefined;
  /**
   * Number whose remainder modulo the number of servers is the index of the current server. Incremented when an attempt
   * fails and its retry rule is not `never`.
   */
  #serverIndex = 0;

  /** @throws ApiError with the code `invalid` if there is no URL, or if a URL or the API key is malformed */
  constructor({ urls, apiKey, fetch: send }: ApiTransportOptions) {
    this.#urls = urls.map(normalizeUrl);
    if (urls.length === 0) throw new ApiError({ code: "invalid", detail: "No server URL was given." });
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      const detail = "The API key is empty or malformed.";
      throw new ApiError({ code: "invalid", detail });
    }
    this.#apiKey = apiKey;
    this.#fetch = send;
  }

  /**
   * Sends a request. Retries until the request succeeds or is refused, the signal is aborted, or `waitMs` and
   * `retryForMs` have passed.
   *
   * @throws ApiError with the code of the last failure. The code is `unknown_outcome` instead of `unavailable` if the
   * outcome of an earlier attempt is unknown. The error has no status if there was no response to the last attempt
   */
  async request(request: ApiRequest): Promise<ApiResponse> {
    const { signal, waitMs, retryForMs } = request;
    const startedAt = performance.now();
    const waitUntil = startedAt + (waitMs ?? 0);
    let pauseMs = PAUSE_MS_MIN;
    let unansweredAttempts = 0;
    for (let failures = 0; ; ) {
      const leftMs = waitUntil - performance.now();
      const partMs = waitMs === undefined ? undefined : computeWaitPartMs(waitMs, leftMs);
      const serverIndex = this.#serverIndex;
      const result = await this.#send(request, partMs);
      if (result.ok) return { ...result, unansweredAttempts };
      const { failure } = result;
      if (failure.code === "timeout" && leftMs > WAIT_PART_MS_MAX) continue;
      if (failure.rule === "unknown") unansweredAttempts++;
      if (this.#serverIndex === serverIndex && failure.rule !== "never") this.#serverIndex++;
      failures++;
      const delayMs = this.#computeDelayMs(failure, pauseMs, failures);
      // Does not retry for the whole wait if the URL appears to be wrong.
      const until = failure.code === "unexpected_response" ? startedAt : waitUntil;
      const isOver = performance.now() + delayMs > until + retryForMs;
      if (isOver || !isRepeatable(request, failure)) throw toApiError(failure, unansweredAttempts);
      await sleep(delayMs, signal);
      pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
    }
  }

  #send({ method, path, body, idempotencyKey, timeoutMs, signal }: ApiRequest, waitMs: number | undefined) {
    const headers: Record<string, string> = { accept: "application/json" };
    if (this.#apiKey !== undefined) headers.authorization = `Bearer ${this.#apiKey}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const sent = waitMs === undefined ? body : { ...body, waitMs };
    const init = { method, headers, ...(sent === undefined ? {} : { body: JSON.stringify(sent) }) };
    const url = `${this.#urls[this.#serverIndex % this.#urls.length]}/api/v1${path}`;
    const limitMs = (waitMs ?? 0) + Math.max(1, timeoutMs);
    return sendAttempt(this.#fetch ?? fetch, { url, init, limitMs, signal });
  }

  /**
   * Computes the delay in milliseconds before the next attempt. Ignores `Retry-After` while there is another server to
   * try, except for status 429, which applies to the caller on every server.
   */
  #computeDelayMs({ status, retryAfterMs }: FailedAttempt, pauseMs: number, failures: number): number {
    const hasOtherServer = failures % this.#urls.length !== 0;
    return hasOtherServer && status !== 429 ? pauseMs : Math.max(pauseMs, retryAfterMs);
  }
}

/** Returns the wait of one request in whole milliseconds: 0 if `waitMs` is 0, otherwise 1 to 55,000. */
function computeWaitPartMs(waitMs: number, leftMs: number): number {
  if (waitMs === 0) return 0;
  return Math.max(1, Math.min(WAIT_PART_MS_MAX, Math.round(leftMs)));
}

function isRepeatable({ method, idempotencyKey }: ApiRequest, { rule }: FailedAttempt): boolean {
  if (rule === "unknown") return method !== "POST" || idempotencyKey !== undefined;
  return rule === "not_done";
}

function toApiError({ cause, ...failure }: FailedAttempt, unansweredAttempts: number): ApiError {
  // The last attempt was not carried out, but an earlier attempt may have been.
  const isUnknown = failure.code === "unavailable" && unansweredAttempts > 0;
  const code = isUnknown ? "unknown_outcome" : failure.code;
  return new ApiError({ ...failure, code, unansweredAttempts }, cause === undefined ? undefined : { cause });
}
