import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { type Key, keyOfPath } from "../../lib/keys/key.ts";
import type { Principal } from "../auth/principal.ts";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { ReadOnlyError } from "../errors/operator-errors.ts";
import { ForbiddenError, InvalidError, UnauthenticatedError } from "../errors/request-errors.ts";
import type { Audit } from "../history/audit/audit.ts";
import type { VerbEnd } from "../stats/verb-call.ts";
import type { RunningVerb, VerbWatch } from "../stats/verb-observer.ts";
import type { Target } from "../targets/target.ts";
import type { Targets } from "../targets/targets.ts";
import { unlessKnown } from "./http/etag.ts";
import type { ApiRequest, ApiResponse, Exchange } from "./http/http-exchange.ts";
import { problemOf } from "./http/problem.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import { readJson } from "./http/request-body.ts";
import { clientRequestIdOf } from "./http/request-id.ts";
import { audited, auditedCallOf } from "./routing/auditing.ts";
import { authorise } from "./routing/authorization.ts";
import type { Authentication } from "./routing/request-authenticator.ts";
import { type AnyCall, parse, type Route } from "./routing/route.ts";
import { type RouteEntry, RouteTable } from "./routing/route-table.ts";
import type { StoredAnswers } from "./routing/stored-answers.ts";

/** No route knows half as many. */
const PARAMETERS_MAX = 32;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Takes requests from any door to their routes. */
export class Dispatcher {
  readonly #routes: RouteTable;
  readonly #process = randomBytes(4).toString("hex");
  #requests = 0;

  constructor(
    routes: readonly Route[],
    private readonly targets: Targets,
    private readonly authentication: Authentication,
    private readonly verbs: VerbWatch,
    private readonly audit: Audit,
    private readonly limits: RateLimits,
    private readonly answers: StoredAnswers,
    private readonly log: Logger,
  ) {
    this.#routes = new RouteTable(routes);
  }

  async dispatch<Result>(exchange: Exchange<Result>): Promise<Result> {
    const requestId = `${this.#process}-${++this.#requests}`;
    let response: ApiResponse;
    let running: RunningVerb | undefined;
    const caller: Caller = { id: undefined };
    try {
      const accepted = await this.#accept(exchange, caller, requestId);
      running = this.#begin(accepted, exchange);
      response = await this.#handled(accepted);
      if (response.headers.etag !== undefined) {
        response = unlessKnown(response, exchange.header("if-none-match"));
      }
    } catch (error) {
      response = this.#refusal(error, exchange, requestId);
    }
    if (this.limits.isTold && caller.id !== undefined) {
      // A refusal for having asked too often says it itself.
      response = withHeaders(this.limits.headersFor(caller.id), response);
    }
    running?.end(response.end ?? DONE);
    return exchange.deliver({ response, requestId });
  }

  #refusal(error: unknown, request: ApiRequest, requestId: string): ApiResponse {
    const isFault = !(error instanceof LockkeeperError);
    if (isFault || this.log.isLevelEnabled("info")) {
      const { method, path } = request;
      const asked = { requestId, clientRequestId: clientRequestIdOf(request), method };
      if (isFault) this.log.error({ err: error, ...asked }, "request failed");
      else this.log.info({ ...asked, path, code: error.code, detail: error.message }, "request refused");
    }
    return { ...problemOf(error, requestId), end: endOf(error) };
  }

  #begin({ route, call }: Accepted, request: ApiRequest): RunningVerb | undefined {
    if (route.verb === undefined || call?.target === undefined) return undefined;
    return this.verbs.begin(route.verb(call), call.target.figures, request);
  }

  /** All checks. @param caller is told as soon as it is known: also what is refused after that is its own */
  async #accept(request: ApiRequest, caller: Caller, answerId: string): Promise<Accepted> {
    const { entry, segments } = this.#routes.match(request);
    const { route, keyAt, idAt } = entry;
    const found = this.#principalOf(request, route);
    const principal = found instanceof Promise ? await found : found;
    caller.id = principal.id;
    if (principal.kind === "nobody") this.limits.takeUnknown(request.remoteAddress);
    else this.limits.takeKnown(principal.id);
    const query = queryIn(request);
    const name = this.#targetNameOf(entry, segments, query);
    const key = keyAt < 0 ? undefined : keyOf(segments[keyAt] ?? "");
    authorise(principal, route, name, key);
    // A stream's handler must not run for HEAD: nobody would ever end the stream.
    if (request.method === "HEAD") return { route, call: undefined };
    const call: AnyCall = {
      request,
      principal,
      target: route.scope === "target" ? this.#targetOf(route, name) : undefined,
      keeper: route.scope === "keeper" ? this.targets.keeperOf(name) : undefined,
      id: idAt < 0 ? "" : decoded(segments[idAt] ?? ""),
      key: key ?? "",
      answerId,
      mayStill: () => this.#mayStill(request, route, name, key),
      query: route.query === undefined ? NO_QUERY : parse(route.query, queryOf(query, route), "Query"),
      body:
        route.body === undefined
          ? noBody(request)
          : parse(route.body, await readJson(request, route.bodyBytesMax), "Body"),
      requestId: route.idempotent !== undefined ? requestIdOf(request) : undefined,
    };
    return { route, call };
  }

  #principalOf(request: ApiRequest, route: Route): Principal | Promise<Principal> {
    try {
      const found = this.authentication.principalOf(request, route);
      return found instanceof Promise ? found.catch((error) => this.#unknown(error, request)) : found;
    } catch (error) {
      return this.#unknown(error, request);
    }
  }

  /** Whoever has no valid credentials may not try for ever. */
  #unknown(error: unknown, request: ApiRequest): never {
    if (error instanceof UnauthenticatedError) this.limits.takeUnknown(request.remoteAddress);
    throw error;
  }

  #handled(accepted: Accepted): Promise<ApiResponse> | ApiResponse {
    const { route, call } = accepted;
    accepted.call = undefined;
    if (call === undefined) return headOf(route);
    if (route.idempotent !== "by_answer" || call.requestId === undefined)
      return this.#carriedOut(route, call);
    return this.answers.once(call, () => this.#carriedOut(route, call));
  }

  #carriedOut(route: Route, call: AnyCall): Promise<ApiResponse> | ApiResponse {
    if (typeof route.audit !== "function") return route.handle(call);
    return audited(this.audit, auditedCallOf(call), route.audit(call), () => route.handle(call));
  }

  #targetNameOf({ route, targetAt }: RouteEntry, segments: readonly string[], query: URLSearchParams) {
    if (route.scope === "server") return undefined;
    if (targetAt >= 0) return decoded(segments[targetAt] ?? "");
    return query.get("target") ?? this.targets.keepers[0].name;
  }

  /** Redis being away ends nobody's right to look. */
  async #mayStill(
    request: ApiRequest,
    route: Route,
    target: string | undefined,
    key: Key | undefined,
  ): Promise<boolean> {
    try {
      authorise(await this.authentication.principalOf(request, route), route, target, key);
      return true;
    } catch (error) {
      return !(error instanceof UnauthenticatedError || error instanceof ForbiddenError);
    }
  }

  #targetOf({ effect }: Route, name: string | undefined): Target {
    const target = this.targets.of(name);
    if (effect === "writes" && target.policy.readOnly) throw writesNothing(target);
    return target;
  }
}

const NO_QUERY = {};
const DONE: VerbEnd = { outcome: "done" };

function endOf(error: unknown): VerbEnd {
  return { outcome: error instanceof LockkeeperError ? error.code : "internal" };
}

/** Whose request it is: the id of its principal. */
interface Caller {
  id: string | undefined;
}

interface Accepted {
  readonly route: Route;
  /** undefined for HEAD, and once it is with its handler: what that needs no more is not to stay here. */
  call: AnyCall | undefined;
}

function queryIn({ query }: ApiRequest): URLSearchParams {
  if (query.size <= PARAMETERS_MAX) return query;
  throw new InvalidError(
    `The query has ${query.size} parameters; at most ${PARAMETERS_MAX} are allowed.`,
    {},
  );
}

function withHeaders(more: Readonly<Record<string, string>>, response: ApiResponse): ApiResponse {
  return { ...response, headers: { ...more, ...response.headers } };
}

function writesNothing({ name }: Target): ReadOnlyError {
  const why = `The target ${name} is read-only: nothing is ever written to it.`;
  return new ReadOnlyError(`${why} Its locks can be looked at.`, { why });
}

function keyOf(segment: string): string {
  const parsed = keyOfPath(segment);
  if (!parsed.ok) throw new InvalidError(`Path: ${parsed.why}.`, { field: "key" });
  return parsed.key;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new InvalidError("The path is not percent-encoded UTF-8.", {});
  }
}

function queryOf(query: URLSearchParams, { scope }: Route): Record<string, string> {
  const { target, ...others } = Object.fromEntries(query);
  return scope === "server" && target !== undefined ? { ...others, target } : others;
}

function noBody(request: ApiRequest): undefined {
  const hasBody =
    Number(request.header("content-length") ?? "0") > 0 || request.header("transfer-encoding") !== undefined;
  if (hasBody) throw new InvalidError(`${request.method} takes no body here; send none.`, {});
}

function requestIdOf(request: ApiRequest): string | undefined {
  const id = request.header("idempotency-key");
  if (id === undefined || REQUEST_ID.test(id)) return id;
  throw new InvalidError("Idempotency-Key: it must have 1 to 128 visible ASCII characters.", {
    field: "Idempotency-Key",
  });
}

function headOf(route: Route): ApiResponse {
  const type = route.response.stream ? "text/event-stream" : "application/json; charset=utf-8";
  return { status: route.response.status, headers: { "content-type": type, "cache-control": "no-store" } };
}
