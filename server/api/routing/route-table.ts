import { MethodNotAllowedError, NotFoundError } from "../../errors/request-errors.ts";
import type { ApiRequest } from "../http/http-exchange.ts";
import type { Route } from "./route.ts";

const BASE_PATH = "/api/v1/";

export interface RouteEntry {
  readonly route: Route;
  /** undefined stands for any one segment. */
  readonly segments: readonly (string | undefined)[];
  /** Which segment is the key, which the id, which the holdId, which the name of the target; -1: none. */
  readonly keyAt: number;
  readonly idAt: number;
  readonly holdAt: number;
  readonly targetAt: number;
}

export interface RouteMatch {
  readonly entry: RouteEntry;
  readonly segments: readonly string[];
}

/** Finds the route of an address, segment by segment and still encoded: a key is decoded once, and not here. */
export class RouteTable {
  readonly #bySize = new Map<number, RouteEntry[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const entry = toRouteEntry(route);
      const size = entry.segments.length;
      this.#bySize.set(size, [...(this.#bySize.get(size) ?? []), entry]);
    }
  }

  /** @throws LockkeeperError not_found, method_not_allowed */
  match(request: Pick<ApiRequest, "method" | "path">): RouteMatch {
    const { path } = request;
    const segments = path.startsWith(BASE_PATH) ? path.slice(BASE_PATH.length).split("/") : [];
    const method = request.method === "HEAD" ? "GET" : request.method;
    const entries = this.#bySize.get(segments.length) ?? [];
    for (const entry of entries) {
      if (entry.route.method === method && isSegmentMatch(entry.segments, segments))
        return { entry, segments };
    }
    const others = entries.filter((entry) => isSegmentMatch(entry.segments, segments));
    if (others.length > 0) {
      const methods = [...new Set(others.map(({ route }) => route.method))].join(", ");
      throw new MethodNotAllowedError(`This path supports ${methods}.`, { allowed: methods });
    }
    const hint =
      segments[0] === "locks"
        ? " Slashes of a key are written as %2F, or the whole key as ~ and its base64url."
        : "";
    throw new NotFoundError(`There is no such address below /api/v1; see /api/v1/openapi.json.${hint}`);
  }
}

function toRouteEntry(route: Route): RouteEntry {
  const names = route.path.slice(1).split("/");
  const segments = names.map((name) => (name.startsWith("{") ? undefined : name));
  return {
    route,
    segments,
    keyAt: names.indexOf("{key}"),
    idAt: names.indexOf("{id}"),
    holdAt: names.indexOf("{holdId}"),
    targetAt: names.indexOf("{target}"),
  };
}

function isSegmentMatch(pattern: RouteEntry["segments"], segments: readonly string[]): boolean {
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] !== undefined && pattern[at] !== segments[at]) return false;
  }
  return true;
}
