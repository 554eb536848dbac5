import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { keyOfPath } from "../../lib/contract/key.ts";
import { may } from "../auth/principal.ts";
import {
  ForbiddenError,
  InvalidError,
  LockkeeperError,
  MethodNotAllowedError,
  NotFoundError,
  UnauthenticatedError,
} from "../locks/errors.ts";
import type { Authentication } from "./authentication.ts";
import { readJson } from "./body.ts";
import type { ApiRequest, ApiResponse } from "./http.ts";
import { problemOf } from "./problem.ts";
import { type Call, parse, type Route } from "./route.ts";

const BASE = "/api/v1/";
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

interface Match {
  route: Route;
  key: string;
  id: string;
}

/** Takes requests from any door to their routes. */
export class Dispatcher {
  readonly #bySize = new Map<number, { segments: string[]; route: Route }[]>();
  readonly #process = randomBytes(4).toString("hex");
  #requests = 0;

  constructor(
    routes: readonly Route[],
    private readonly authentication: Authentication,
    private readonly log: Logger,
  ) {
    for (const route of routes) {
      const segments = route.path.slice(1).split("/");
      this.#bySize.set(segments.length, [...(this.#bySize.get(segments.length) ?? []), { segments, route }]);
    }
  }

  async dispatch(request: ApiRequest): Promise<ApiResponse> {
    const requestId = `${this.#process}-${++this.#requests}`;
    const response = await this.#answer(request).catch((error: unknown) => {
      if (!(error instanceof LockkeeperError)) {
        this.log.error({ err: error, requestId, method: request.method }, "request failed");
      }
      return problemOf(error, requestId);
    });
    return { ...response, headers: { ...response.headers, "x-request-id": requestId } };
  }

  async #answer(request: ApiRequest): Promise<ApiResponse> {
    const { route, key, id } = this.#match(request);
    const principal = await this.authentication.principalOf(request, route);
    if (route.access !== "anyone" && !may(principal, route.access)) {
      throw new ForbiddenError(`A ${principal.role} may not do this.`);
    }
    if (request.method === "HEAD") return headOf(route);
    const call: Call<unknown, unknown> = {
      request,
      principal,
      id,
      key: route.path.includes("{key}") ? keyOf(key) : "",
      query: route.query === undefined ? {} : parse(route.query, queryOf(request.query), "Query"),
      body: await bodyOf(request, route),
      requestId: route.idempotent ? requestIdOf(request) : undefined,
      mayStill: () => this.#mayStill(request, route),
    };
    return await route.handle(call);
  }

  // Redis being away ends nobody's right to look.
  async #mayStill(request: ApiRequest, route: Route): Promise<boolean> {
    try {
      await this.authentication.principalOf(request, route);
      return true;
    } catch (error) {
      return !(error instanceof UnauthenticatedError);
    }
  }

  #match(request: ApiRequest): Match {
    const segments = request.path.startsWith(BASE) ? request.path.slice(BASE.length).split("/") : [];
    const method = request.method === "HEAD" ? "GET" : request.method;
    const candidates = (this.#bySize.get(segments.length) ?? []).filter((entry) =>
      fits(entry.segments, segments),
    );
    const found = candidates.find(({ route }) => route.method === method);
    if (found !== undefined) {
      const at = (name: string) => segments[found.segments.indexOf(name)] ?? "";
      return { route: found.route, key: at("{key}"), id: at("{id}") };
    }
    if (candidates.length > 0) {
      const allowed = [...new Set(candidates.map(({ route }) => route.method))].join(", ");
      throw new MethodNotAllowedError(`This address takes ${allowed}.`, { allowed });
    }
    const hint =
      segments[0] === "locks"
        ? " Slashes of a key are written as %2F, or the whole key as ~ and its base64url."
        : "";
    throw new NotFoundError(`There is no such address below /api/v1; see /api/v1/openapi.json.${hint}`);
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, index) => part.startsWith("{") || part === segments[index]);
}

function keyOf(segment: string): string {
  const parsed = keyOfPath(segment);
  if (!parsed.ok) throw new InvalidError(`Path: ${parsed.why}.`, { field: "key" });
  return parsed.key;
}

function queryOf(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(query);
}

async function bodyOf(request: ApiRequest, route: Route): Promise<unknown> {
  if (route.body !== undefined) return parse(route.body, await readJson(request), "Body");
  const hasBody =
    Number(request.header("content-length") ?? "0") > 0 || request.header("transfer-encoding") !== undefined;
  if (hasBody) throw new InvalidError(`${request.method} takes no body here; send none.`, {});
  return undefined;
}

function requestIdOf(request: ApiRequest): string | undefined {
  const id = request.header("idempotency-key");
  if (id === undefined || REQUEST_ID.test(id)) return id;
  throw new InvalidError("Idempotency-Key: it must have 1 to 128 visible ASCII characters.", {
    field: "Idempotency-Key",
  });
}

// A stream's handler must not run for HEAD: nobody would ever end the stream.
function headOf(route: Route): ApiResponse {
  const type = route.response.stream ? "text/event-stream" : "application/json; charset=utf-8";
  return { status: route.response.status, headers: { "content-type": type, "cache-control": "no-store" } };
}
