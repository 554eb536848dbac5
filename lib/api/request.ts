import type { ErrorCode, Problem } from "@/lib/contract/error.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { BASE_PATH } from "./base-path.ts";

export const API_BASE = `${BASE_PATH}/api/v1`;
const REQUEST_TIMEOUT_MS = 15_000;

/** An error response from the API that contains a problem document. */
export class ApiProblem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The current lock, from a problem such as `changed` or `unverified`; `undefined` if there is no valid lock. */
  readonly lock: Lock | undefined;
  /** Time to wait before a retry, in milliseconds; `undefined` if the response has no `Retry-After` in seconds. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, lock: Lock | undefined, retryAfterMs?: number) {
    super(problem.detail);
    this.name = "ApiProblem";
    this.code = problem.code;
    this.status = problem.status;
    this.lock = lock;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Why there is no usable response. `silent`: there was no response, or the request was aborted. `status`: the response
 * was an error without a valid problem document, typically from a proxy. `unreadable`: the response could not be
 * parsed. `broken_off`: a response that is read in parts was interrupted or could not be processed.
 */
export type NetworkErrorReason = "silent" | "status" | "unreadable" | "broken_off";

const NETWORK_ERROR_MESSAGES: Readonly<Record<Exclude<NetworkErrorReason, "status">, string>> = {
  silent: "Lockkeeper did not respond.",
  unreadable: "Could not read Lockkeeper's response. Reload this page.",
  broken_off: "The response was cut off.",
};

/** Thrown if there is no usable response to a request. The server may still have carried out the request. */
export class NetworkError extends Error {
  readonly reason: NetworkErrorReason;
  /** HTTP status of the response; `undefined` unless `reason` is `status`. */
  readonly status: number | undefined;

  constructor(why: Exclude<NetworkErrorReason, "status"> | { status: number }) {
    super(typeof why === "string" ? NETWORK_ERROR_MESSAGES[why] : `Lockkeeper returned HTTP ${why.status}.`);
    this.name = "NetworkError";
    this.reason = typeof why === "string" ? why : "status";
    this.status = typeof why === "string" ? undefined : why.status;
  }
}

export type RequestError = ApiProblem | NetworkError;

// Imported dynamically, after hydration, because the schemas and zod are large.
export const loadResponseReaders = () => import("./response-readers.ts");

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Sends a request to the API and returns the response, even if its status is an error.
 *
 * @param path path and query below `/api/v1`
 * @param signal aborts the request; defaults to a timeout of 15 s
 * @throws NetworkError if there is no response or the request was aborted
 */
export async function sendRequest(
  method: Method,
  path: string,
  body?: unknown,
  signal: AbortSignal = AbortSignal.timeout(REQUEST_TIMEOUT_MS),
): Promise<Response> {
  const init: RequestInit = { method, cache: "no-store", signal };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  try {
    return await fetch(API_BASE + path, init);
  } catch {
    throw new NetworkError("silent");
  }
}

export async function readError(response: Response): Promise<ApiProblem | NetworkError> {
  const wire = await loadResponseReaders();
  const problem = wire.readProblem(await response.json().catch(() => undefined));
  if (problem === undefined) return new NetworkError({ status: response.status });
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  return new ApiProblem(problem, wire.readLockFact(problem), retryAfterMs);
}

type ResponseReaders = Awaited<ReturnType<typeof loadResponseReaders>>;

export async function requestJson<T>(
  request: Promise<Response>,
  read: (wire: ResponseReaders, json: unknown) => T,
): Promise<T> {
  const response = await request;
  if (!response.ok) throw await readError(response);
  try {
    return read(await loadResponseReaders(), await response.json());
  } catch {
    throw new NetworkError("unreadable");
  }
}

/**
 * Waits for the response to a request. Ignores the body of a successful response.
 *
 * @throws ApiProblem or NetworkError if the request failed
 */
export async function requestVoid(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw await readError(response);
}

/** The name of a target; `undefined` for the first configured target. */
export type TargetName = string | undefined;

/** Adds the target and other query parameters to a path. Omits parameters that are `undefined`. */
export function withTarget(
  path: string,
  target: TargetName,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...more, target })) {
    if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}
