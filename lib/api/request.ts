import type { ErrorCode, Problem } from "@/lib/contract/error.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { BASE_PATH } from "./base-path.ts";

export const BASE = `${BASE_PATH}/api/v1`;
const PATIENCE_MS = 15_000;

/** The server said no, and why. */
export class ApiProblem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Facts of `changed` and `unsure`: the lock as it is now. */
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
export type Silence = "silent" | "status" | "unreadable" | "broken_off";

const TEXT_OF_SILENCE: Readonly<Record<Exclude<Silence, "status">, string>> = {
  silent: "Lockkeeper did not answer.",
  unreadable: "Lockkeeper's answer could not be read: reload this page.",
  broken_off: "The answer broke off.",
};

/** No answer, or none that can be understood: what was asked may or may not have been done. */
export class NoAnswer extends Error {
  readonly why: Silence;
  /** Of HTTP, where that is all that was answered. */
  readonly status: number | undefined;

  constructor(why: Exclude<Silence, "status"> | { status: number }) {
    super(typeof why === "string" ? TEXT_OF_SILENCE[why] : `Lockkeeper answered ${why.status}.`);
    this.name = "NoAnswer";
    this.why = typeof why === "string" ? why : "status";
    this.status = typeof why === "string" ? undefined : why.status;
  }
}

export type Failure = ApiProblem | NoAnswer;

// Not in the first load: the schemas and zod come while the page wakes up.
export const loadWire = () => import("./response-readers.ts");

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** @param signal of a request that may take longer than most, and that its caller ends */
export async function send(
  method: Method,
  path: string,
  body?: unknown,
  signal: AbortSignal = AbortSignal.timeout(PATIENCE_MS),
): Promise<Response> {
  const init: RequestInit = { method, cache: "no-store", signal };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  try {
    return await fetch(BASE + path, init);
  } catch {
    throw new NoAnswer("silent");
  }
}

export async function problemOf(response: Response): Promise<ApiProblem | NoAnswer> {
  const wire = await loadWire();
  const problem = wire.readProblem(await response.json().catch(() => undefined));
  if (problem === undefined) return new NoAnswer({ status: response.status });
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  return new ApiProblem(problem, wire.readLockFact(problem), retryAfterMs);
}

type Wire = Awaited<ReturnType<typeof loadWire>>;

export async function ask<T>(request: Promise<Response>, read: (wire: Wire, json: unknown) => T): Promise<T> {
  const response = await request;
  if (!response.ok) throw await problemOf(response);
  try {
    return read(await loadWire(), await response.json());
  } catch {
    throw new NoAnswer("unreadable");
  }
}

/** For what is answered without a body. */
export async function order(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw await problemOf(response);
}

/** The name of a target; undefined: the first that is configured. */
export type TargetName = string | undefined;

/** The address of a path, about a target. */
export function at(
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
