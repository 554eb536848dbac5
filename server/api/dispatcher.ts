import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Key } from "../../lib/keys/key.ts";
import { canAccess, type Principal } from "../auth/principal.ts";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { ForbiddenError, InvalidError, UnauthenticatedError } from "../errors/request-errors.ts";
import type { Audit } from "../history/audit/audit.ts";
import type { VerbEnd } from "../stats/verb-call.ts";
import type { RunningVerb, VerbObserver } from "../stats/verb-observer.ts";
import { assertWritable } from "../targets/assert-writable.ts";
import type { Target } from "../targets/target.ts";
import type { Targets } from "../targets/targets.ts";
import { compressResponse, isCompressible } from "./compression/compression.ts";
import { UNLIMITED_CPU } from "./http/cpu-budgets.ts";
import { applyIfNoneMatch } from "./http/etag.ts";
import type { ApiRequest, ApiResponse, Exchange } from "./http/http-exchange.ts";
import { toProblemResponse } from "./http/problem.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import { hasBody, readEmptyBody, readJsonBody } from "./http/request-body.ts";
import { readClientRequestId } from "./http/request-id.ts";
import { runAudited, toAuditedCall } from "./routing/auditing.ts";
import { assertAuthorized } from "./routing/authorization.ts";
import { readPathParameters } from "./routing/path-parameters.ts";
import type { RequestAuthenticator } from "./routing/request-authenticator.ts";
import { type AnyCall, parseInput, type Route } from "./routing/route.ts";
import { RouteTable } from "./routing/route-table.ts";
import type { StoredResponses } from "./routing/stored-responses.ts";

/** Maximum number of query parameters per request, more than twice as many as any route has. */
const PARAMETERS_MAX = 32;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** Dispatches requests from the HTTP adapters to their routes. */
export class Dispatcher {
  readonly #routes: RouteTable;
  readonly #process = randomBytes(4).toString("hex");
  #requests = 0;

  constructor(
    routes: readonly Route[],
    private readonly targets: Targets,
    private readonly authentication: RequestAuthenticator,
    private readonly verbs: VerbObserver,
    private readonly audit: Audit,
    private readonly limits: RateLimits,
    private readonly storedResponses: StoredResponses,
    private readonly log: Logger,
    private readonly basePath: string,
  ) {
    this.#routes = new RouteTable(routes);
  }

  async dispatch<Result>(exchange: Exchange<Result>): Promise<Result> {
    const requestId = `${this.#process}-${++this.#requests}`;
    let response: ApiResponse;
    let running: RunningVerb | undefined;
    const caller: Caller = { id: undefined };
    try {
      const accepted = await this.#validate(exchange, caller, requestId);
      running = this.#startVerb(accepted, exchange);
      response = await this.#handle(accepted);
      if (response.headers.etag !== undefined) {
        response = applyIfNoneMatch(response, exchange.header("if-none-match"));
      }
      if (isCompressible(exchange, response)) response = await compressResponse(exchange, response);
    } catch (error) {
      response = this.#toErrorResponse(error, exchange, requestId);
    }
    if (this.limits.sendsHeaders && caller.id !== undefined) {
      // A `rate_limited` response already has these headers.
      response = addHeaders(this.limits.buildHeaders(caller.id), response);
    }
    running?.end(response.verbEnd ?? DONE_END);
    return exchange.deliver({ response, requestId });
  }

  #toErrorResponse(error: unknown, request: ApiRequest, requestId: string): ApiResponse {
    const isFault = !(error instanceof LockkeeperError);
    if (isFault || this.log.isLevelEnabled("info")) {
      const { method, path } = request;
      const call = { requestId, clientRequestId: readClientRequestId(request), method };
      if (isFault) this.log.error({ err: error, ...call }, "request failed");
      else this.log.info({ ...call, path, code: error.code, detail: error.message }, "request refused");
    }
    return { verbEnd: toVerbEnd(error), ...toProblemResponse(error, this.basePath, requestId) };
  }

  #startVerb({ route, call }: ValidatedCall, request: ApiRequest): RunningVerb | undefined {
    if (route.verb === undefined || call?.target === undefined) return undefined;
    return this.verbs.startVerb(route.verb(call), call.target.stats, request);
  }

  /**
   * Authenticates, rate-limits, authorizes and validates a request.
   *
   * @param caller the caller, whose `id` this method sets as soon as the request is authenticated. If the request is
   * refused later, the response then also has the principal's rate-limit headers
   * @throws LockkeeperError if the request is refused
   */
  async #validate(request: ApiRequest, caller: Caller, answerId: string): Promise<ValidatedCall> {
    const match = this.#routes.match(request);
    const { route } = match.entry;
    const found = this.#authenticate(request, route);
    const principal = found instanceof Promise ? await found : found;
    caller.id = principal.id;
    if (principal.kind === "nobody") this.limits.consumeForAddress(request.remoteAddress);
    else this.limits.consumeForCaller(principal.id);
    const query = getQuery(request);
    const { id, key, hold, target: name } = readPathParameters(match, query, this.targets.connectors[0].name);
    assertAuthorized(principal, route, name, key);
    if (route.isOwnChange && !canAccess(principal, "admin", {}))
      this.limits.consumeForOwnChange(principal.id);
    const target = route.scope === "target" ? this.#getTarget(route, name) : undefined;
    const connector = route.scope === "connector" ? this.targets.getConnector(name) : undefined;
    // The handler does not run for HEAD, because the handler of a stream would never end.
    if (request.method === "HEAD") return { route, call: undefined };
    const cpu = route.expensive ? this.limits.readCpu.getBudget(principal.id) : UNLIMITED_CPU;
    cpu.assertAvailable();
    const call: AnyCall = {
      request,
      cpu,
      principal,
      target,
      connector,
      hold,
      id,
      key: key ?? "",
      responseId: answerId,
      isStillAuthorized: this.#isStillAuthorized.bind(this, request, route, { target: name, key }),
      query:
        route.query === undefined ? NO_QUERY : parseInput(route.query, toQueryRecord(query, route), "Query"),
      body:
        route.body === undefined
          ? hasBody(request)
            ? await readEmptyBody(request)
            : undefined
          : parseInput(route.body, await readJsonBody(request, route.bodyBytesMax), "Body"),
      requestId: route.idempotent !== undefined ? readIdempotencyKey(request) : undefined,
    };
    return { route, call };
  }

  #authenticate(request: ApiRequest, route: Route): Principal | Promise<Principal> {
    try {
      const found = this.authentication.authenticate(request, route);
      return found instanceof Promise ? found.catch((error) => this.#rejectAnonymous(error, request)) : found;
    } catch (error) {
      return this.#rejectAnonymous(error, request);
    }
  }

  /** Rethrows an authentication error. Counts invalid credentials towards the rate limit of the client's address. */
  #rejectAnonymous(error: unknown, request: ApiRequest): never {
    if (error instanceof UnauthenticatedError) this.limits.consumeForAddress(request.remoteAddress);
    throw error;
  }

  #handle(accepted: ValidatedCall): Promise<ApiResponse> | ApiResponse {
    const { route, call } = accepted;
    accepted.call = undefined;
    if (call === undefined) return createHeadResponse(route);
    if (route.idempotent !== "by_answer" || call.requestId === undefined)
      return this.#runHandler(route, call);
    return this.storedResponses.runOnce(call, () => this.#runHandler(route, call));
  }

  #runHandler(route: Route, call: AnyCall): Promise<ApiResponse> | ApiResponse {
    if (typeof route.audit !== "function") return call.cpu.run(() => route.handle(call));
    return runAudited(this.audit, toAuditedCall(call), route.audit(call), () => route.handle(call));
  }

  /**
   * Returns whether the request would still be authorized, and `accepts` returns true for the principal with its
   * current access. Also returns true if the authorization cannot be checked, for example because the store of keys or
   * sessions is unreachable.
   */
  async #isStillAuthorized(
    request: ApiRequest,
    route: Route,
    { target, key }: { target: string | undefined; key: Key | undefined },
    accepts?: (principal: Principal) => boolean,
  ): Promise<boolean> {
    try {
      const principal = await this.authentication.authenticate(request, route);
      assertAuthorized(principal, route, target, key);
      return accepts?.(principal) ?? true;
    } catch (error) {
      return !(error instanceof UnauthenticatedError || error instanceof ForbiddenError);
    }
  }

  #getTarget({ effect }: Route, name: string | undefined): Target {
    const target = this.targets.getTarget(name);
    if (effect === "writes") assertWritable(target);
    return target;
  }
}

const NO_QUERY = {};
const DONE_END: VerbEnd = { outcome: "done" };

function toVerbEnd(error: unknown): VerbEnd {
  return { outcome: error instanceof LockkeeperError ? error.code : "internal" };
}

/** The caller of a request. `id` is the id of its principal, or `undefined` before authentication. */
interface Caller {
  id: string | undefined;
}

interface ValidatedCall {
  readonly route: Route;
  /**
   * The call to handle. `undefined` for HEAD. Also cleared when the handler starts, so that a long wait does not retain
   * the whole request.
   */
  call: AnyCall | undefined;
}

function getQuery({ query }: ApiRequest): URLSearchParams {
  if (query.size <= PARAMETERS_MAX) return query;
  throw new InvalidError(
    `The query has ${query.size} parameters; at most ${PARAMETERS_MAX} are allowed.`,
    {},
  );
}

function addHeaders(more: Readonly<Record<string, string>>, response: ApiResponse): ApiResponse {
  return { ...response, headers: Object.assign({}, more, response.headers) };
}

function toQueryRecord(query: URLSearchParams, { scope }: Route): Record<string, string> {
  const { target, ...others } = Object.fromEntries(query);
  return scope === "server" && target !== undefined ? { ...others, target } : others;
}

function readIdempotencyKey(request: ApiRequest): string | undefined {
  const id = request.header("idempotency-key");
  if (id === undefined || IDEMPOTENCY_KEY.test(id)) return id;
  throw new InvalidError("Idempotency-Key: must have 1 to 128 visible ASCII characters.", {
    field: "Idempotency-Key",
  });
}

function createHeadResponse(route: Route): ApiResponse {
  const type = route.response.stream ? "text/event-stream" : "application/json; charset=utf-8";
  return { status: route.response.status, headers: { "content-type": type, "cache-control": "no-store" } };
}
