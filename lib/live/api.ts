import type { ErrorCode, Problem } from "@/lib/contract/error.ts";
import type { History } from "@/lib/contract/event.ts";
import type { FinderReport } from "@/lib/contract/finder.ts";
import type { ForceReleased, ForceReleaseInput } from "@/lib/contract/force.ts";
import type { FormatRule, Formats } from "@/lib/contract/format-rule.ts";
import type { LiveView } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Session } from "@/lib/contract/session.ts";
import type { Usual } from "@/lib/contract/stats.ts";
import type { TargetHealth, TargetList } from "@/lib/contract/target.ts";

import type { Carry } from "./stream-ports.ts";

const BASE = "/api/v1";
const PATIENCE_MS = 15_000;

/** The server said no, and why. */
export class ApiProblem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Facts of `changed` and `unsure`: the lock as it is now. */
  readonly lock: Lock | undefined;

  constructor(problem: Problem, lock: Lock | undefined) {
    super(problem.detail);
    this.name = "ApiProblem";
    this.code = problem.code;
    this.status = problem.status;
    this.lock = lock;
  }
}

/** No answer, or none that can be understood: what was asked may or may not have been done. */
export class NoAnswer extends Error {
  constructor(message = "Lockkeeper did not answer.") {
    super(message);
    this.name = "NoAnswer";
  }
}

// Not in the first load: the schemas and zod come while the page wakes up.
export const loadWire = () => import("./wire.ts");

async function send(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<Response> {
  const init: RequestInit = { method, cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  try {
    return await fetch(BASE + path, init);
  } catch {
    throw new NoAnswer();
  }
}

async function problemOf(response: Response): Promise<ApiProblem | NoAnswer> {
  const wire = await loadWire();
  const problem = wire.readProblem(await response.json().catch(() => undefined));
  if (problem === undefined) return new NoAnswer(`Lockkeeper answered ${response.status}.`);
  return new ApiProblem(problem, wire.readLockFact(problem));
}

type Wire = Awaited<ReturnType<typeof loadWire>>;

async function ask<T>(request: Promise<Response>, read: (wire: Wire, json: unknown) => T): Promise<T> {
  const response = await request;
  if (!response.ok) throw await problemOf(response);
  try {
    return read(await loadWire(), await response.json());
  } catch {
    throw new NoAnswer("Lockkeeper's answer could not be read: reload this page.");
  }
}

/** The name of a target; undefined: the first that is configured. */
export type TargetName = string | undefined;

/** The address of a path, about a target. */
function at(
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

/** How long locks of this name are held and waited for. */
export function getUsual(path: string, target: TargetName): Promise<Usual> {
  return ask(send("GET", at(`/locks/${path}/usual`, target)), (wire, json) => wire.readUsual(json));
}

export function getTargets(): Promise<TargetList> {
  return ask(send("GET", "/targets"), (wire, json) => wire.readTargets(json));
}

export function getTargetHealth(name: string): Promise<TargetHealth> {
  return ask(send("GET", `/targets/${encodeURIComponent(name)}`), (wire, json) =>
    wire.readTargetHealth(json),
  );
}

/** @param cursor `next` of the page before */
export function getHistory(path: string, target: TargetName, cursor?: string): Promise<History> {
  const address = at(`/locks/${path}/history`, target, { cursor });
  return ask(send("GET", address), (wire, json) => wire.readHistory(json));
}

/** What is wanted of the past. */
export interface PastView {
  readonly text: string;
  /** None: all. */
  readonly types: readonly string[];
  /** Not after, Unix milliseconds of Redis's clock. */
  readonly to: number | undefined;
}

/**
 * @param cursor an id: only what came before it
 * @param limit how many at most; undefined: as many as the server gives
 */
export function getPast(
  { text, types, to }: PastView,
  target: TargetName,
  cursor: string | undefined,
  limit?: number,
): Promise<History> {
  const type = types.length === 0 ? undefined : [...types, "gap"].join(",");
  const query = { text: text || undefined, type, to: to?.toString(), cursor, limit: limit?.toString() };
  const address = at("/history", target, query);
  return ask(send("GET", address), (wire, json) => wire.readHistory(json));
}

export function forceRelease(
  path: string,
  input: ForceReleaseInput,
  target: TargetName,
): Promise<ForceReleased> {
  return ask(send("POST", at(`/locks/${path}/force-release`, target), input), (wire, json) =>
    wire.readForceReleased(json),
  );
}

export function getFinding(target: TargetName): Promise<FinderReport> {
  return ask(send("GET", at("/finder", target)), (wire, json) => wire.readFinderReport(json));
}

/** Starts the finder, or has it go on. */
export function startFinder(target: TargetName): Promise<FinderReport> {
  return ask(send("POST", at("/finder", target), {}), (wire, json) => wire.readFinderReport(json));
}

export function cancelFinder(target: TargetName): Promise<FinderReport> {
  return ask(send("POST", at("/finder/cancel", target)), (wire, json) => wire.readFinderReport(json));
}

export function getFormats(target: TargetName): Promise<Formats> {
  return ask(send("GET", at("/formats", target)), (wire, json) => wire.readFormats(json));
}

/** All rules but those of the configuration. */
export function putRules(rules: readonly FormatRule[], target: TargetName): Promise<Formats> {
  return ask(send("PUT", at("/formats/rules", target), { rules }), (wire, json) => wire.readFormats(json));
}

export function login(token: string): Promise<Session> {
  return ask(send("POST", "/login", { token }), (wire, json) => wire.readSession(json));
}

export async function logout(): Promise<void> {
  const response = await send("POST", "/logout");
  if (!response.ok && response.status !== 401) throw await problemOf(response);
}

/** EventSource does not tell 401 from a server that is down; this does. */
export async function checkSession(): Promise<"in" | "out" | "unknown"> {
  try {
    const response = await send("GET", "/session");
    if (response.ok) return "in";
    return response.status === 401 ? "out" : "unknown";
  } catch {
    return "unknown";
  }
}

export async function changeView(
  stream: string,
  view: LiveView,
): Promise<"done" | "gone" | "out" | "failed"> {
  try {
    const response = await send("POST", `/live/${encodeURIComponent(stream)}`, view);
    if (response.ok) return "done";
    if (response.status === 404) return "gone";
    return response.status === 401 ? "out" : "failed";
  } catch {
    return "failed";
  }
}

export function liveUrl(view: LiveView, carry: Carry, target: TargetName): string {
  const query = new URLSearchParams({ carry });
  for (const [name, value] of Object.entries(view)) {
    if (value !== undefined) query.set(name, String(value));
  }
  if (target !== undefined) query.set("target", target);
  return `${BASE}/live?${query}`;
}
