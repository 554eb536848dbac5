import { MethodNotAllowedError, NotFoundError } from "../../errors/request-errors.ts";
import type { ApiRequest } from "../http/http-exchange.ts";
import type { Route } from "./route.ts";

const BASE_PATH = "/api/v1/";

export interface RouteEntry {
  readonly route: Route;
  /** Segments of the path below /api/v1. `undefined` matches any segment. */
  readonly segments: readonly (string | undefined)[];
  /**
   * Index of the segment with the key, or -1 if the path has no key. `idAt`, `holdAt` and `targetAt` are the indexes of
   * the other parameters, or -1 if the path does not have them.
   */
  readonly keyAt: number;
  readonly idAt: number;
  readonly holdAt: number;
  readonly targetAt: number;
}

export interface RouteMatch {
  readonly entry: RouteEntry;
  readonly segments: readonly string[];
}

/**
 * Finds the route for the path of an API request. Routes are matched with the encoded segments of the path. Keys are
 * decoded after the route has been found, so that they are decoded exactly once.
 */
export class RouteTable {
  readonly #bySize = new Map<number, RouteEntry[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const entry = toRouteEntry(route);
      const size = entry.segments.length;
      this.#bySize.set(size, [...(this.#bySize.get(size) ?? []), entry]);
    }
  }

  /** Finds the route that handles a request. @throws LockkeeperError not_found, method_not_allowed */
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
        ? " In a key, write / as %2F, or write the whole key as ~ followed by its base64url encoding."
        : "";
    throw new NotFoundError(`This path does not exist below /api/v1. See /api/v1/openapi.json.${hint}`);
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
