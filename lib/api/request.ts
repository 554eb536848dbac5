import type { ErrorCode, Problem } from "@/lib/contract/error.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { BASE_PATH } from "./base-path.ts";

export const API_BASE = `${BASE_PATH}/api/v1`;
const REQUEST_TIMEOUT_MS = 15_000;

/** The server said no, and why. */
export class ApiProblem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Facts of `changed` and `unverified`: the lock as it is now. */
  readonly lock: Lock | undefined;
  /** After how long it may be asked again, where the server says so. */
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

/** Why nothing can be understood; `status`: an answer of something that stands between, such as a proxy. */
export type NetworkErrorReason = "silent" | "status" | "unreadable" | "broken_off";

const NETWORK_ERROR_MESSAGES: Readonly<Record<Exclude<NetworkErrorReason, "status">, string>> = {
  silent: "Lockkeeper did not answer.",
  unreadable: "Lockkeeper's answer could not be read: reload this page.",
  broken_off: "The answer broke off.",
};

/** No answer, or none that can be understood: what was asked may or may not have been done. */
export class NetworkError extends Error {
  readonly reason: NetworkErrorReason;
  /** Of HTTP, where that is all that was answered. */
  readonly status: number | undefined;

  constructor(why: Exclude<NetworkErrorReason, "status"> | { status: number }) {
    super(typeof why === "string" ? NETWORK_ERROR_MESSAGES[why] : `Lockkeeper answered ${why.status}.`);
    this.name = "NetworkError";
    this.reason = typeof why === "string" ? why : "status";
    this.status = typeof why === "string" ? undefined : why.status;
  }
}

export type RequestError = ApiProblem | NetworkError;

// Not in the first load: the schemas and zod come while the page wakes up.
export const loadResponseReaders = () => import("./response-readers.ts");

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** @param signal of a request that may take longer than most, and that its caller ends */
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

/** For what is answered without a body. */
export async function requestVoid(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw await readError(response);
}

/** The name of a target; undefined: the first that is configured. */
export type TargetName = string | undefined;

/** The address of a path, about a target. */
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
