import { type ApiFailure, readProblem } from "./api-error.ts";
import { getGeneralCode, getRetryRule, isErrorCode, type RetryRule } from "./failure-rules.ts";
import { getCurrentMoment, type Moment } from "./moment.ts";
import { readObject, readText, toPrintable } from "./untrusted.ts";

/** One attempt to send an HTTP request to one server. */
export interface AttemptRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface FailedAttempt extends ApiFailure {
  readonly rule: RetryRule;
  /** The value of `Retry-After`, in milliseconds; 0 if the header is missing or invalid. */
  readonly retryAfterMs: number;
  readonly cause?: unknown;
}

export type AttemptResult =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Headers;
      readonly value: unknown;
      readonly sentAt: Moment;
    }
  | { readonly ok: false; readonly failure: FailedAttempt };

/** Matches messages and codes of the errors that runtimes throw if the request was not sent. */
const NOT_SENT =
  /CONN(ECTION ?)?REFUSED|ENOTFOUND|EAI_AGAIN|(HOST|NET)UNREACH|CONNECT_TIMEOUT|CERT|LEAF_SIGNATURE|WRONG_VERSION_NUMBER|BAD PORT|EPROTO|\(CONNECT\)/i;

/** Sends one request. If the request fails, returns the failure with its retry rule instead of rejecting. */
export async function sendAttempt(send: typeof fetch, request: AttemptRequest): Promise<AttemptResult> {
  const { url, init, limitMs, signal } = request;
  const limit = new AbortController();
  const onAbort = () => limit.abort();
  const timer = setTimeout(onAbort, limitMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  const sentAt = getCurrentMoment();
  try {
    // Does not follow redirects, because a redirect can turn a POST into a GET.
    const response = await send(url, { ...init, redirect: "manual", signal: limit.signal });
    const text = await response.text();
    return readResponse(response, text, url, sentAt);
  } catch (error) {
    if (signal?.aborted) return fail({ code: "aborted", detail: "The signal was aborted." });
    const host = getHost(url);
    if (!limit.signal.aborted) return describeConnectionError(error, host);
    const detail = `${host} did not respond within ${Math.round(limitMs)} ms.`;
    return fail({ code: "unknown_outcome", detail, cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/**
 * Creates the result of a failed attempt. The default retry rule is the rule of `code`, or `never` if no server sends
 * the code.
 */
function fail(failure: ApiFailure & Partial<FailedAttempt>): AttemptResult {
  const { code } = failure;
  const rule = isErrorCode(code) ? getRetryRule(code) : "never";
  return { ok: false, failure: { rule, retryAfterMs: 0, ...failure } };
}

function describeConnectionError(error: unknown, host: string): AttemptResult {
  const why = findReason(error);
  const detail = `Could not reach ${host} (${toPrintable(why)}).`;
  const code = NOT_SENT.test(why) ? "unavailable" : "unknown_outcome";
  return fail({ code, detail, cause: error });
}

/** Returns the code or message of the innermost cause, because the outer message is often only `fetch failed`. */
function findReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return findReason(error.cause);
  const code = "code" in error ? readText(error.code) : undefined;
  return code ?? error.message;
}

function readResponse(response: Response, text: string, url: string, sentAt: Moment): AttemptResult {
  const { status, headers } = response;
  const value = parseJson(text);
  if (response.ok && (value !== undefined || text === ""))
    return { ok: true, status, headers, value, sentAt };
  const problem = readObject(value) ?? {};
  if (response.ok || readText(problem.code) === undefined) {
    return describeForeignResponse(response, getHost(url));
  }
  return fail({ ...readProblem(problem, status), retryAfterMs: readRetryAfterMs(headers) });
}

/**
 * Creates the failure for a response that did not come from Lockkeeper, because a proxy responded or the URL is wrong.
 */
function describeForeignResponse(response: Response, host: string): AttemptResult {
  const { status, headers } = response;
  const retryAfterMs = readRetryAfterMs(headers);
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  if (isRedirect) {
    const to = headers.get("location");
    const detail = `${host} redirects${to === null ? "" : ` to ${toPrintable(to)}`}. Use that URL.`;
    return fail({ code: "unexpected_response", detail, status });
  }
  const detail = `The response of ${host} is not from Lockkeeper (HTTP status ${status}).`;
  if (status >= 500) {
    const why = `${detail} A proxy sent it, not the server.`;
    return fail({ code: "unknown_outcome", detail: why, status, retryAfterMs });
  }
  const why = `${detail} Check the URL.`;
  // If another server reports success, the request may have changed something there. Proxies also send 408 and 429, so
  // the status determines the rule.
  const rule = response.ok ? "unknown" : getRetryRule(getGeneralCode(status));
  return fail({ code: "unexpected_response", detail: why, status, rule, retryAfterMs });
}

/**
 * Reads `Retry-After` in either form, seconds or a date. Returns milliseconds; 0 if the header is missing or invalid.
 */
function readRetryAfterMs(headers: Headers): number {
  const text = headers.get("retry-after");
  if (text === null) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Math.max(0, ms || 0);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function getHost(url: string): string {
  return new URL(url).host;
}
